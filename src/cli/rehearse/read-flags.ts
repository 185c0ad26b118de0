import { parseScenario, type Scenario } from '../../rehearsal/scenario.ts';
import { scenarioOf, scenarios } from '../../rehearsal/scenarios.ts';
import { usageError } from '../output/exit-codes.ts';
import { oneValue } from '../validate/documents.ts';
import { readSources } from '../validate/sources.ts';

const MOST_PER_SECOND = 1_000_000;

/** Names of built-in scenarios, and files with other scenarios. */
export function readScenarios(list: string, isMatrix: boolean): readonly Scenario[] {
  if (isMatrix) return scenarios;
  const words = list.split(',').map((word) => word.trim());
  return words.filter((word) => word !== '').map((word) => scenarioOf(word) ?? scenarioInFile(word));
}

function scenarioInFile(word: string): Scenario {
  if (!/\.(ya?ml|json)$/.test(word))
    throw usageError(`--scenario ${word} is not known: it must be a .yaml file or one of ${scenarios.map(({ name }) => name).join(', ')}`);
  const [source] = readSources([word], undefined);
  const text = source?.text ?? { unreadable: 'is empty' };
  if ('unreadable' in text) throw usageError(`--scenario ${word} cannot be read: it ${text.unreadable}`);
  const raw = oneValue(text.content);
  if ('problem' in raw) throw usageError(`--scenario ${word} cannot be read: ${raw.problem}`);
  const read = parseScenario(raw.value);
  if ('scenario' in read) return read.scenario;
  const said = read.problems.map(({ path, message }) => `${path === '' ? 'the file' : path}: ${message}`);
  throw usageError(`--scenario ${word}: ${said.join('; ')}`);
}

/** --seed: a whole number. */
export function readSeed(text: string): number {
  const seed = Number(text);
  if (!/^\d+$/.test(text) || !Number.isSafeInteger(seed)) throw usageError(`--seed ${text} must be a whole number of at least 0, like 7`);
  return seed;
}

/** --rate: requests per second. */
export function readRate(text: string): number {
  const rate = Number(text);
  if (text.trim() === '' || !(rate >= 0 && rate <= MOST_PER_SECOND))
    throw usageError(`--rate ${text} must be a number from 0 to ${MOST_PER_SECOND}: requests in a second`);
  return rate;
}

/** `name=value`; `known` are the names of checks and of their templates. */
export function readAssumed(words: readonly string[], known: ReadonlySet<string>): Map<string, number> {
  return new Map(
    words.map((word) => {
      const [, name = '', text = ''] = /^(.*)=([^=]*)$/.exec(word) ?? [];
      if (name === '' || text.trim() === '' || !Number.isFinite(Number(text)))
        throw usageError(`--assume ${word} must be NAME=NUMBER, like error-rate=0.5`);
      if (!known.has(name))
        throw usageError(
          `--assume ${name}: no check or MetricTemplate of these Canaries has this name; there ${known.size === 0 ? 'are none' : `are ${[...known].join(', ')}`}`,
        );
      return [name, Number(text)];
    }),
  );
}
