package advise

import (
	"fmt"
	"time"
)

// The broker's bounds of a session, group.min.session.timeout.ms and
// group.max.session.timeout.ms, where it is not told otherwise.
const (
	minSession = 6 * time.Second
	maxSession = 30 * time.Minute
)

func ms(d time.Duration) int { return int(d.Milliseconds()) }

// timeouts finds intervals that do not go with each other or with the broker.
func (q *inquiry) timeouts() []Finding {
	c := q.Config
	if c == nil || c.Consumer {
		return nil
	}
	var found []Finding
	if c.Session < minSession || c.Session > maxSession {
		found = append(found, Finding{"session-out-of-bounds", Error, fmt.Sprintf("%s: the broker "+
			"refuses a session of %v with INVALID_SESSION_TIMEOUT unless its own settings allow it: by "+
			"default %v to %v", c.where(keySession), c.Session, minSession, maxSession),
			[]Figure{{"session_timeout_ms", ms(c.Session)}, {"broker_min_ms", ms(minSession)},
				{"broker_max_ms", ms(maxSession)}}})
	}
	figures := []Figure{{"heartbeat_interval_ms", ms(c.Heartbeat)},
		{"session_timeout_ms", ms(c.Session)}}
	switch {
	case c.Heartbeat >= c.Session && c.Client != Librdkafka:
		found = append(found, Finding{"heartbeat-not-below-session", Error, fmt.Sprintf("%s: Java's "+
			"client refuses to start: a heartbeat every %v cannot keep a session of %v",
			c.timeout(), c.Heartbeat, c.Session), figures})
	case c.Heartbeat >= c.Session:
		found = append(found, Finding{"heartbeat-not-below-session", Warning, fmt.Sprintf("%s: a "+
			"heartbeat every %v cannot keep a session of %v: members drop out without having failed",
			c.timeout(), c.Heartbeat, c.Session), figures})
	case c.Heartbeat > c.Session/3:
		found = append(found, Finding{"heartbeat-above-third", Warning, fmt.Sprintf("%s: with a "+
			"heartbeat every %v a session of %v ends after %s; a third of the session at "+
			"most leaves room for two", c.timeout(), c.Heartbeat, c.Session,
			count(int(c.Session/c.Heartbeat), "lost heartbeat")), figures})
	}
	if c.Poll < c.Session {
		f := Finding{"poll-below-session", Warning, fmt.Sprintf("%s: max.poll.interval.ms (%v) is below "+
			"the session (%v): it is also the time that a rebalance waits for a member, which the broker "+
			"takes for alive longer than that", c.timeout(), c.Poll, c.Session),
			[]Figure{{"max_poll_interval_ms", ms(c.Poll)}, {"session_timeout_ms", ms(c.Session)}}}
		if c.Client == Librdkafka {
			f.Severity = Error
			f.Message = fmt.Sprintf("%s: librdkafka refuses to start: max.poll.interval.ms (%v) is below "+
				"session.timeout.ms (%v)", c.timeout(), c.Poll, c.Session)
		}
		found = append(found, f)
	}
	return found
}

// timeout is where the first of the timeouts is set, and the file where none is.
func (c *Config) timeout() string {
	for _, key := range []string{keyHeartbeat, keySession, keyPoll} {
		if c.has(key) {
			return c.where(key)
		}
	}
	return c.File
}

// better are the timeouts to use: those in force, as far as they go together.
func (q *inquiry) better() (session, heartbeat, poll time.Duration) {
	session, heartbeat, poll = q.timing()
	session = min(max(session, minSession), maxSession)
	if heartbeat > session/3 {
		heartbeat = min(defaultHeartbeat, (session / 3).Truncate(time.Millisecond))
	}
	if poll < session {
		poll = max(session, defaultPoll)
	}
	return session, heartbeat, poll
}
