import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.BufferedReader;
import java.io.InputStreamReader;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import org.apache.kafka.clients.consumer.ConsumerPartitionAssignor;
import org.apache.kafka.clients.consumer.ConsumerPartitionAssignor.GroupSubscription;
import org.apache.kafka.clients.consumer.ConsumerPartitionAssignor.Subscription;
import org.apache.kafka.clients.consumer.CooperativeStickyAssignor;
import org.apache.kafka.clients.consumer.RangeAssignor;
import org.apache.kafka.clients.consumer.RoundRobinAssignor;
import org.apache.kafka.clients.consumer.StickyAssignor;
import org.apache.kafka.clients.consumer.internals.ConsumerProtocol;
import org.apache.kafka.common.Cluster;
import org.apache.kafka.common.Node;
import org.apache.kafka.common.PartitionInfo;

/**
 * Hands groups to Kafka's own assignors. Each line of standard input is a group as JSON, its
 * members with the bytes of their subscriptions in hex; each line of standard output is the answer,
 * the bytes of each member's assignment in hex, or "error" with what the assignor threw.
 */
public class Replay {
    private static final ObjectMapper JSON = new ObjectMapper();
    private static final HexFormat HEX = HexFormat.of();

    public static void main(String[] args) throws Exception {
        BufferedReader lines = new BufferedReader(new InputStreamReader(System.in));
        for (String line = lines.readLine(); line != null; line = lines.readLine()) {
            Map<String, String> answer = new TreeMap<>();
            try {
                answer = assign(JSON.readTree(line));
            } catch (RuntimeException e) {
                answer.put("error", e.toString());
            }
            System.out.println(JSON.writeValueAsString(answer));
        }
    }

    private static Map<String, String> assign(JsonNode group) {
        Map<String, Subscription> members = new HashMap<>();
        for (JsonNode member : group.get("members")) {
            ByteBuffer bytes = ByteBuffer.wrap(HEX.parseHex(member.get("subscription").asText()));
            Subscription subscription = ConsumerProtocol.deserializeSubscription(bytes);
            String instance = member.get("instance").asText();
            subscription.setGroupInstanceId(
                    instance.isEmpty() ? Optional.empty() : Optional.of(instance));
            members.put(member.get("id").asText(), subscription);
        }
        Map<String, String> answer = new TreeMap<>();
        assignor(group.get("assignor").asText())
                .assign(cluster(group.get("topics")), new GroupSubscription(members))
                .groupAssignment()
                .forEach((id, assignment) -> {
                    ByteBuffer bytes = ConsumerProtocol.serializeAssignment(assignment);
                    byte[] copy = new byte[bytes.remaining()];
                    bytes.get(copy);
                    answer.put(id, HEX.formatHex(copy));
                });
        return answer;
    }

    // An assignor remembers the greatest generation that it has seen, so each group has its own.
    private static ConsumerPartitionAssignor assignor(String name) {
        return switch (name) {
            case "range" -> new RangeAssignor();
            case "roundrobin" -> new RoundRobinAssignor();
            case "sticky" -> new StickyAssignor();
            case "cooperative-sticky" -> new CooperativeStickyAssignor();
            default -> throw new IllegalArgumentException("unknown assignor " + name);
        };
    }

    // Each rack has one broker; a partition's replicas are on the brokers of its racks.
    private static Cluster cluster(JsonNode topics) {
        Map<String, Node> brokers = new HashMap<>();
        List<PartitionInfo> partitions = new ArrayList<>();
        topics.fields().forEachRemaining(topic -> {
            int number = 0;
            for (JsonNode racks : topic.getValue()) {
                List<Node> replicas = new ArrayList<>();
                for (JsonNode rack : racks) {
                    replicas.add(brokers.computeIfAbsent(rack.asText(),
                            name -> new Node(brokers.size(), "broker", 9092, name)));
                }
                Node[] all = replicas.toArray(new Node[0]);
                Node leader = all.length == 0 ? Node.noNode() : all[0];
                partitions.add(new PartitionInfo(topic.getKey(), number++, leader, all, all));
            }
        });
        return new Cluster("replay", brokers.values(), partitions, Collections.emptySet(),
                Collections.emptySet());
    }
}
