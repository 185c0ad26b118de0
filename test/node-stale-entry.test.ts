import { expect, it } from 'vitest';
import { podOf, silentPodOf } from './node/stale-entry.ts';

const entry = (state: string, marks: string): string =>
  `tcp      6 9 ${state} src=10.255.0.2 dst=10.96.253.215 sport=47136 dport=80 src=10.244.0.41 dst=10.244.0.1 sport=8080 dport=1750 ${marks}mark=0 use=1\n`;

it.each([
  { entries: entry('CLOSE', '[ASSURED] '), what: 'an established connection that was reset', pod: '10.244.0.41' },
  { entries: entry('CLOSE', ''), what: 'an attempt that was refused', pod: undefined },
  { entries: entry('CLOSE', '[UNREPLIED] '), what: 'an attempt without an answer', pod: undefined },
  {
    entries: entry('TIME_WAIT', '[ASSURED] '),
    what: 'a connection that ended in order, which the kernel forgets at the next attempt',
    pod: undefined,
  },
  { entries: '', what: 'nothing', pod: undefined },
])('of $what the kernel leads to $pod', ({ entries, pod }) => {
  expect(podOf(entries)).toBe(pod);
});

const unreplied =
  'tcp      6 96 SYN_SENT src=10.255.0.2 dst=10.96.0.9 sport=40002 dport=80 [UNREPLIED] src=10.244.1.5 dst=10.244.0.1 sport=8080 dport=40002 mark=0 use=1\n';

it.each([
  { entries: unreplied, what: 'an attempt without an answer', pod: '10.244.1.5' },
  { entries: entry('ESTABLISHED', '[ASSURED] '), what: 'an established connection', pod: undefined },
  { entries: '', what: 'nothing', pod: undefined },
])('of $what the silent pod is $pod', ({ entries, pod }) => {
  expect(silentPodOf(entries)).toBe(pod);
});
