import { expect, it } from 'vitest';
import { handClock } from '../../test/fakes/clock.ts';
import { controllerLog } from './controller-log.ts';

it('milliseconds in the log are whole numbers, and other numbers are unchanged', () => {
  const lines: string[] = [];
  const log = controllerLog({ clock: handClock(), log: { write: (line: string) => void lines.push(line) } as never }, 'info');
  log.info({ unansweredMs: 10_221.142600000021, ratio: 0.5, err: new Error('away') }, 'the API server answers again');
  expect(lines.map((line) => JSON.parse(line))).toMatchObject([{ unansweredMs: 10_221, ratio: 0.5, err: { message: 'away' } }]);
});
