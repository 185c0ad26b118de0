/** By the metrics of a leader. */
export interface LeaderCounts {
  series: number;
  /** Canaries that it reconciles. */
  registered: number;
  /** Calls, writes, retries and messages that wait or are under way. */
  waiting: number;
  /** Set timers that keep its process alive. */
  timers: number;
  /** Open connections: each watch has one. */
  connections: number;
}

const QUEUES = /^serin_(delivery_queue_depth|outgoing_calls(_waiting)?|api_writes(_waiting)?|api_retries_waiting)[{ ]/;

export function leaderCounts(metrics: string): LeaderCounts {
  const lines = metrics.split('\n').filter((line) => line !== '' && !line.startsWith('#'));
  const sum = (name: RegExp) => lines.reduce((total, line) => total + (name.test(line) ? Number(line.split(' ').at(-1)) : 0), 0);
  return {
    series: lines.length,
    registered: sum(/^flagger_canary_total[{ ]/),
    waiting: sum(QUEUES),
    timers: sum(/^nodejs_active_resources\{type="Timeout"\}/),
    connections: sum(/^nodejs_active_resources\{type="TCPSocketWrap"\}/),
  };
}
