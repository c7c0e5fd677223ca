import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.BufferedReader;
import java.io.InputStreamReader;
import java.io.StringReader;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Properties;
import org.apache.kafka.clients.consumer.ConsumerConfig;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.common.serialization.StringDeserializer;

/**
 * Hands settings to Kafka's own consumer. Each line of standard input is a JSON string, the text of
 * a properties file; each line of standard output says what became of it: the strategies and
 * timeouts that the consumer's configuration came to, settings that it does not know, or "error"
 * with why there is no consumer.
 */
public class Configure {
    private static final ObjectMapper JSON = new ObjectMapper();

    public static void main(String[] args) throws Exception {
        BufferedReader lines = new BufferedReader(new InputStreamReader(System.in));
        for (String line = lines.readLine(); line != null; line = lines.readLine()) {
            String text = JSON.readValue(line, String.class);
            System.out.println(JSON.writeValueAsString(configure(text)));
        }
        // Consumers may still be trying to reach the broker that is not there.
        System.out.flush();
        Runtime.getRuntime().halt(0);
    }

    private static Map<String, Object> configure(String text) throws Exception {
        Properties properties = new Properties();
        properties.load(new StringReader(text));
        properties.putIfAbsent(ConsumerConfig.BOOTSTRAP_SERVERS_CONFIG, "127.0.0.1:1");
        properties.putIfAbsent(ConsumerConfig.GROUP_ID_CONFIG, "group");
        properties.put(ConsumerConfig.KEY_DESERIALIZER_CLASS_CONFIG, StringDeserializer.class);
        properties.put(ConsumerConfig.VALUE_DESERIALIZER_CLASS_CONFIG, StringDeserializer.class);
        Map<String, Object> answer = new LinkedHashMap<>();
        try (KafkaConsumer<String, String> consumer = new KafkaConsumer<>(properties)) {
            ConsumerConfig config = new ConsumerConfig(properties);
            answer.put("strategies",
                    config.getList(ConsumerConfig.PARTITION_ASSIGNMENT_STRATEGY_CONFIG));
            answer.put("session", config.getInt(ConsumerConfig.SESSION_TIMEOUT_MS_CONFIG));
            answer.put("heartbeat", config.getInt(ConsumerConfig.HEARTBEAT_INTERVAL_MS_CONFIG));
            answer.put("poll", config.getInt(ConsumerConfig.MAX_POLL_INTERVAL_MS_CONFIG));
            answer.put("protocol", config.getString(ConsumerConfig.GROUP_PROTOCOL_CONFIG));
            answer.put("unknown", properties.keySet().stream()
                    .filter(key -> !ConsumerConfig.configNames().contains(key)).sorted().toList());
        } catch (Exception e) {
            StringBuilder why = new StringBuilder();
            for (Throwable cause = e; cause != null; cause = cause.getCause()) {
                why.append(cause.getMessage()).append("; ");
            }
            answer.put("error", why.toString());
        }
        return answer;
    }
}
