import type { User } from '../at-once/control-plane.ts';
import {
  type RecordedUsers,
  STRATEGIES,
  type Strategy,
  USERS_FAULTS,
  type UsersFault,
  type UsersRound,
  type UsersSetting,
} from './recorded-users.ts';

const CONTROLLERS: Readonly<Record<User, string>> = { serin: 'Serin', flagger: 'Flagger', argo: 'Argo Rollouts' };
const SIZES = [1, 20, 100];

interface Cell {
  strategy: Strategy;
  fault: UsersFault;
  atOnce: number;
}

/** Failed requests for each bad release, with the number of releases; and the cells in which Serin is not the lowest. */
export function usersTable(recorded: readonly RecordedUsers[]): string[] {
  if (recorded.length === 0) return ['No run is recorded.'];
  const { requestsASecond, machine, ...versions } = settingOf(recorded);
  const rounds = recorded.flatMap((run) => run.rounds);
  const controllers = (Object.keys(CONTROLLERS) as User[]).filter((name) => rounds.some(({ controller }) => controller === name));
  const cells = STRATEGIES.flatMap((strategy) => USERS_FAULTS.map((fault) => ({ strategy, fault })));
  const of = (controller: User, cell: Cell) => failedIn(rounds, controller, cell);
  const compared = cells.flatMap((row) =>
    SIZES.map((atOnce) => ({ ...row, atOnce })).filter((cell) => controllers.every((name) => of(name, cell) !== undefined)),
  );
  const isLowest = (cell: Cell) => controllers.every((name) => (of('serin', cell)?.mean ?? 0) <= (of(name, cell)?.mean ?? 0));
  const above = compared.filter((cell) => !isLowest(cell));
  return [
    `| bad releases at once | ${SIZES.flatMap((atOnce) => controllers.map((name) => `${atOnce}: ${CONTROLLERS[name]}`)).join(' | ')} |`,
    `|---|${SIZES.flatMap(() => controllers.map(() => '---|')).join('')}`,
    ...cells.map(({ strategy, fault }) => {
      const texts = SIZES.flatMap((atOnce) => controllers.map((name) => cellText(of(name, { strategy, fault, atOnce }))));
      return `| ${strategy}, ${fault} | ${texts.join(' | ')} |`;
    }),
    '',
    `${requestsASecond} requests a second to each application, on ${machine}: Flagger ${versions.flagger}, Kubernetes ${versions.kubernetes}, Node ${versions.node}.`,
    `Serin is the lowest, or as low, in ${compared.length - above.length} of the ${compared.length} cells in which all ran${
      above.length === 0
        ? ''
        : `; not in ${above.map(({ strategy, fault, atOnce }) => `*${strategy}, ${fault}, ${atOnce} at once*`).join(', ')}`
    }.`,
    ...otherReasons(rounds, controllers),
  ];
}

function failedIn(rounds: readonly UsersRound[], controller: User, cell: Cell): { mean: number; n: number } | undefined {
  const failed = rounds
    .filter(
      (round) =>
        round.controller === controller && round.strategy === cell.strategy && round.fault === cell.fault && round.atOnce === cell.atOnce,
    )
    .flatMap((round) => round.failed);
  if (failed.length === 0) return undefined;
  return { mean: failed.reduce((sum, count) => sum + count, 0) / failed.length, n: failed.length };
}

const cellText = (failed: { mean: number; n: number } | undefined): string =>
  failed === undefined ? 'not run' : `${Number(failed.mean.toFixed(1))} (${failed.n})`;

/** Failed requests that no bad version has answered, for each controller that has any, and releases that were not rolled back. */
function otherReasons(rounds: readonly UsersRound[], controllers: readonly User[]): string[] {
  return controllers.flatMap((name) => {
    const own = rounds.filter(({ controller }) => controller === name);
    const all = own.reduce((sum, { failed }) => sum + failed.reduce((a, b) => a + b, 0), 0);
    const answered = own
      .flatMap(({ reasons }) => Object.entries(reasons))
      .reduce((sum, [reason, count]) => (reason.startsWith('500 of ') ? sum + count : sum), 0);
    const others = own.flatMap(({ ends }) => Object.entries(ends)).reduce((sum, [end, count]) => (end === 'Failed' ? sum : sum + count), 0);
    return [
      `Of ${all.toLocaleString('en')} failed requests with ${CONTROLLERS[name]}, ${answered.toLocaleString('en')} were answered with 500 by an application, and ${(all - answered).toLocaleString('en')} got no answer of one; ${others === 0 ? 'each release was rolled back' : `${others} releases were not rolled back`}.`,
    ];
  });
}

/** The setting of all runs. Throws where two differ: their figures do not belong beside each other. */
function settingOf(recorded: readonly RecordedUsers[]): UsersSetting {
  const settings = new Map(recorded.map(({ setting }) => [JSON.stringify(setting), setting]));
  const [setting, ...others] = settings.values();
  if (setting === undefined) throw new Error('no run is recorded');
  if (others.length > 0)
    throw new Error(`figures of different versions or machines are not shown in one table: ${[...settings.keys()].join(' and ')}`);
  return setting;
}
