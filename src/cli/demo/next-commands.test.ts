import { expect, it } from 'vitest';
import { keptLines, nextLines } from './next-commands.ts';

const commandsIn = (lines: readonly string[]): string[] => lines.filter((line) => /^ {2}\S/.test(line)).map((line) => line.trim());
const kept = keptLines('npx node src/cli/main.ts', '/tmp/serin-demo-Ab12cd/kubeconfig', ['ERROR_EVERY', 'LATENCY_MS']);

it('every command consists of words that each shell takes literally, without a variable, an operator or a comma', () => {
  const all = [...commandsIn(kept), ...commandsIn(nextLines('serin', false)), ...commandsIn(nextLines('npx node src/cli/main.ts', true))];
  expect(all).toHaveLength(9);
  for (const command of all) expect(command).toMatch(/^[\w./:@=+ -]+$/);
  // PowerShell drops these two dashes, and `export` is not a command of fish's or PowerShell's.
  expect(all.join('\n')).not.toMatch(/ -- |export/);
});

it('a line without a command fits a usual terminal', () => {
  const lines = [...kept, ...nextLines('npx node src/cli/main.ts', true)].filter((line) => !/^ {2}\S/.test(line));
  expect(Math.max(...lines.map(({ length }) => length))).toBeLessThanOrEqual(80);
});

it('a temporary folder with a blank in its name is quoted', () => {
  expect(keptLines('serin', '/tmp/my files/kubeconfig', ['X']).filter((line) => line.includes('"/tmp/my files/kubeconfig"'))).toHaveLength(
    3,
  );
});
