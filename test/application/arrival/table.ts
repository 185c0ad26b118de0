import { type KindOfLoss, kindsOfLoss } from './kinds-of-loss.ts';
import type { Outcome } from './play.ts';

/** Number of worlds for each kind of loss, as Markdown. */
export function tableOf(outcomes: readonly Outcome[]): string {
  const silentIn = ({ losses }: Outcome): Set<KindOfLoss> => new Set(losses.filter(({ isNamed }) => !isNamed).map(({ kind }) => kind));
  const namedIn = ({ losses }: Outcome): Set<KindOfLoss> => new Set(losses.filter(({ isNamed }) => isNamed).map(({ kind }) => kind));
  const count = (isMeant: (outcome: Outcome) => boolean): number => outcomes.filter(isMeant).length;
  const arrived = (outcome: Outcome): boolean => outcome.is === 'arrived';
  const rows = (Object.keys(kindsOfLoss) as KindOfLoss[]).flatMap((kind) => {
    const silent = count((one) => silentIn(one).has(kind));
    const named = count((one) => namedIn(one).has(kind) && !silentIn(one).has(kind));
    return silent + named === 0 ? [] : [`| ${kind} | ${silent} | ${named} |`];
  });
  return [
    `${outcomes.length} worlds: ${count((one) => arrived(one) && one.losses.length === 0)} keep everything, ${count((one) => silentIn(one).size > 0)} lose something silently, ` +
      `${count((one) => arrived(one) && silentIn(one).size === 0 && one.losses.length > 0)} with a warning alone, ${count((one) => one.is === 'refused')} are refused.`,
    '',
    '| lost | silently | with a warning |',
    '|---|---|---|',
    ...rows,
    '',
  ].join('\n');
}
