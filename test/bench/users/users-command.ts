import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { measureUsers } from './measure-users.ts';
import {
  type RecordedUsers,
  STRATEGIES,
  type Strategy,
  USERS_FAULTS,
  type UsersFault,
  type UsersRound,
  type UsersSetting,
} from './recorded-users.ts';
import { usersTable } from './users-table.ts';

const RECORDED = join(import.meta.dirname, '..', 'recorded', 'users.json');
/** `a-b` of `A/B`. */
const wordOf = (name: string): string => name.toLowerCase().replaceAll(/[^a-z]+/g, '-');
const words = (names: readonly string[]): string => names.map(wordOf).join(', ');

export const USERS_USAGE = `npm run bench -- users [--sizes 1,20] [--strategies canary] [--faults calm,leader-killed] [--rounds 1] [--in-turn] [--seed 1] [--record] [--json]

Counts the failed requests of users for each bad release, by Serin and by Flagger on one real control plane. Users send 5 requests a second to each
application through the embedded data plane. A request has failed when its answer is 500 or above, or when none came within 10 s. The bad version answers
each request with 500. --in-turn runs one controller after the other, each on a control plane of its own. --record adds the rounds to
test/bench/recorded/users.json, of which npm run generate makes a table.

--strategies: ${words(STRATEGIES)}
--faults: ${words(USERS_FAULTS)}
`;

/** One run, by the arguments after `users`. */
export async function users(args: readonly string[]): Promise<void> {
  const { values } = parseArgs({
    args: [...args],
    options: {
      sizes: { type: 'string', default: '1,20' },
      strategies: { type: 'string', default: 'canary' },
      faults: { type: 'string', default: 'calm,leader-killed' },
      rounds: { type: 'string', default: '1' },
      'in-turn': { type: 'boolean', default: false },
      seed: { type: 'string', default: '1' },
      record: { type: 'boolean', default: false },
      json: { type: 'boolean', default: false },
      help: { type: 'boolean', default: false },
    },
  });
  if (values.help) return void process.stdout.write(USERS_USAGE);
  const say = (line: string) => void (values.json ? process.stderr : process.stdout).write(`${line}\n`);
  const found = await measureUsers({
    sizes: values.sizes.split(',').map(positive),
    strategies: chosen<Strategy>(STRATEGIES, values.strategies),
    faults: chosen<UsersFault>(USERS_FAULTS, values.faults),
    rounds: positive(values.rounds),
    together: !values['in-turn'],
    seed: positive(values.seed),
    say,
    keep: values.record ? record : () => undefined,
  });
  if (values.json) return void process.stdout.write(`${JSON.stringify(found, undefined, 2)}\n`);
  for (const line of ['', ...usersTable([found])]) say(line);
}

/** Each time that a cell was played: a run that is cut off keeps what it has. */
function record(rounds: readonly UsersRound[], setting: UsersSetting): void {
  const recorded: RecordedUsers[] = existsSync(RECORDED) ? JSON.parse(readFileSync(RECORDED, 'utf8')) : [];
  const text = JSON.stringify(setting);
  const run = recorded.find((each) => JSON.stringify(each.setting) === text);
  const others = recorded.filter((each) => each !== run);
  const all = [...others, { setting, rounds: [...(run?.rounds ?? []), ...rounds] }];
  writeFileSync(RECORDED, `${JSON.stringify(all, undefined, 2)}\n`);
}

function chosen<T extends string>(names: readonly T[], written: string): T[] {
  return written.split(',').map((word) => {
    const name = names.find((each) => wordOf(each) === word);
    if (name === undefined) throw new Error(`${word} is not one of ${words(names)}\n${USERS_USAGE}`);
    return name;
  });
}

function positive(text: string): number {
  const value = Number(text);
  if (!(value > 0)) throw new Error(`${text} must be a number above 0\n${USERS_USAGE}`);
  return value;
}
