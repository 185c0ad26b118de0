import { floodChecks, sessionChecks } from './removed/dashboard.ts';
import { addressChecks, outgoingChecks } from './removed/outgoing.ts';
import type { RemovedCheck } from './removed/removed-check.ts';
import { secretChecks } from './removed/secrets.ts';

const HOSTILE = ['src/cli/validate/hostile-files.test.ts'];
const OPTIONS = ['src/loadtester/accepted-options.integration.test.ts'];
const ASIDE = ['src/controller/reconcile/second-controller.simulated.test.ts'];
const COUNTS = ['src/metrics/low-traffic.integration.test.ts'];
const sources = (check: string, find: string, replace: string): RemovedCheck => ({
  ...{ item: 6, check, file: 'src/cli/validate/sources.ts', find, replace, tests: HOSTILE },
});
const words = (check: string, find: string): RemovedCheck => ({
  ...{ item: 6, check, file: 'src/cli/validate/yaml-text.ts', find, replace: find.replace('>', '< -'), tests: HOSTILE },
});
const unfolded = (check: string, find: string, replace: string): RemovedCheck => ({
  ...{ item: 6, check, file: 'src/cli/validate/unfold.ts', find, replace, tests: HOSTILE },
});
const limit = (check: string, find: string, replace: string, file = 'src/rehearsal/limits.ts'): RemovedCheck => ({
  ...{ item: 6, check, file, find, replace, tests: ['src/rehearsal/limits.test.ts'] },
});
const curl = (check: string, find: string, replace: string, file = 'src/loadtester/curl.ts'): RemovedCheck => ({
  ...{ item: 7, check, file, find, replace, tests: OPTIONS },
});

/** `node test/attacks/remove-checks.ts` takes each out in memory, and prints the test that notices it. */
export const removedChecks: readonly RemovedCheck[] = [
  ...sessionChecks,
  ...addressChecks,
  ...outgoingChecks,
  ...secretChecks,
  ...floodChecks,
  sources('a link out of the folder is not followed', 'if (entry.isSymbolicLink() && ', 'if (entry.isFIFO() && '),
  {
    ...sources('only regular files of a folder are read', 'if (!statSync(file).isFile())', 'if (statSync(file).size < 0)'),
    tests: ['src/cli/validate/sockets.integration.test.ts'],
  },
  sources('size of a file', 'if (bytes.length > MOST.fileBytes)', 'if (bytes.length < 0)'),
  sources('size of all files of a run', 'if (spent.bytes > MOST.bytes)', 'if (spent.bytes < 0)'),
  sources('number of manifests', 'if (this.#files > MOST.files) {', 'if (this.#files < 0) {'),
  words('number of anchors', 'if (this.#anchors > MOST.anchors)'),
  words('number of aliases', 'if (this.#aliases > MOST.anchors)'),
  words('number of words', 'if (this.#words > MOST.words)'),
  {
    ...{ item: 6, check: 'number of documents', file: 'src/cli/validate/yaml-text.ts', tests: HOSTILE },
    ...{ find: 'if (documents.length === MOST.documents)', replace: 'if (documents.length < 0)' },
  },
  {
    ...{ item: 6, check: 'number of objects of a run', file: 'src/cli/validate/documents.ts', tests: HOSTILE },
    ...{ find: 'if (spent.objects > MOST.documents)', replace: 'if (spent.objects < 0)' },
  },
  {
    ...{ item: 6, check: 'a fault is one finding, not the end of the run', file: 'src/cli/validate/unfold.ts', tests: HOSTILE },
    ...{ find: 'if (fault instanceof Fault) return fault.is;', replace: '' },
  },
  unfolded('an alias within its own anchor', 'if (measured === undefined) throw', 'if (measured === null) throw'),
  unfolded('aliases that unfold without end', 'if (this.#added > MOST.unfolded)', 'if (this.#added < 0)'),
  unfolded('depth of what aliases name', 'if (level + measured.depth > MOST.depth)', 'if (level + measured.depth < 0)'),
  unfolded('depth of a document', 'if (level > MOST.depth)', 'if (level < 0)'),
  unfolded('a key that is there twice', 'if (keys.has(item.key.value))', 'if (keys.size < 0)'),
  {
    ...{
      item: 6,
      check: 'work that grows with the square of the keys',
      file: 'src/cli/validate/yaml-text.ts',
      tests: ['src/cli/validate/hostile-work.test.ts'],
    },
    ...{ find: 'uniqueKeys: false', replace: 'uniqueKeys: true' },
  },
  {
    ...{ item: 6, check: 'looks at what an arrival would lose', file: 'src/cli/validate/checks/arrival.ts', tests: HOSTILE },
    ...{ find: 'looked > MOST.looks', replace: 'looked < 0' },
  },
  {
    ...{
      item: 6,
      check: 'a null is absent',
      file: 'src/cli/validate/documents.ts',
      tests: ['src/cli/validate/null-fields.simulated.test.ts'],
    },
    ...{ find: 'objectsIn(withoutNulls(document.toJS()))', replace: 'objectsIn(document.toJS())' },
  },
  {
    ...{ item: 6, check: 'file and line of what cannot be read', file: 'src/cli/validate/documents.ts', tests: HOSTILE },
    ...{ find: '(line === undefined ? source :', replace: '(line !== undefined ? source :' },
  },
  limit('checks of a rehearsal', 'if (count > MOST_REHEARSED_CHECKS)', 'if (count < 0)'),
  limit('hours of a rehearsal', 'if (count * intervalMs <= LONGEST_MS)', 'if (count * intervalMs >= 0)'),
  limit('modelled pods', '!(pods > MOST_REHEARSED_PODS)', '!(pods < 0)'),
  limit('hours of a scenario', '(parseDuration(text) ?? 0) <= LONGEST_MS', '(parseDuration(text) ?? 0) >= 0', 'src/rehearsal/scenario.ts'),
  curl('--retry-max-time', 'options.retryWithinMs > 0 &&', 'options.retryWithinMs < 0 &&'),
  curl('--connect-timeout', 'const connecting = connectMs > 0', 'const connecting = connectMs < 0', 'src/loadtester/exchange.ts'),
  curl('--compressed', "if (has('compressed')) base", "if (has('compressed') && has('x')) base", 'src/loadtester/curl-options.ts'),
  curl('hey -cpus', "  cpus: 'hey -cpus shares", "  cpux: 'hey -cpus shares", 'src/loadtester/hey-options.ts'),
  {
    ...{ item: 8, check: 'the mark is written', file: 'src/controller/status/aside-mark.ts', tests: ASIDE },
    ...{ find: 'if (isMarked === isAside) return undefined;', replace: 'if (isMarked === isAside || isAside) return undefined;' },
  },
  {
    ...{ item: 8, check: 'the mark is taken off', file: 'src/controller/status/aside-mark.ts', tests: ASIDE },
    ...{ find: 'if (isMarked === isAside) return undefined;', replace: 'if (isMarked === isAside || !isAside) return undefined;' },
  },
  {
    ...{
      item: 8,
      check: 'serin list shows it',
      file: 'src/cli/canaries/list-command.ts',
      tests: ['src/cli/canaries/list-command.test.ts'],
    },
    ...{ find: "aside ? 'left to another controller' : held", replace: 'held' },
  },
  {
    ...{
      item: 8,
      check: 'serin list reads it',
      file: 'src/reading/canary-reading.ts',
      tests: ['src/cli/canaries/list-command.test.ts'],
    },
    ...{
      find: 'annotations?.[asideAnnotation] === undefined ? {} : { aside: true }',
      replace: 'annotations?.[asideAnnotation] === null ? { aside: true } : {}',
    },
  },
  {
    ...{ item: 8, check: 'serin why names it', file: 'src/reading/why/diagnose.ts', tests: ['src/cli/why/steps.test.ts'] },
    ...{ find: 'annotations?.[asideAnnotation] !== undefined)', replace: 'annotations?.[asideAnnotation] === null)' },
  },
  {
    ...{ item: 9, check: 'a verdict has its requests', file: 'src/metrics/measure.ts', tests: COUNTS },
    ...{
      find: 'counted.value >= 0 ? shownCount(counted.value) : undefined',
      replace: 'counted.value < 0 ? shownCount(counted.value) : undefined',
    },
  },
  {
    ...{ item: 9, check: 'events say them', file: 'src/engine/judge-checks.ts', tests: ['src/cli/canaries/decided-by.test.ts'] },
    ...{ find: "return counted.length === 0 ? '' :", replace: "return counted.length >= 0 ? '' :" },
  },
  {
    ...{ item: 9, check: 'the ending has them', file: 'src/engine/ending.ts', tests: ['src/cli/canaries/decided-by.test.ts'] },
    ...{
      find: 'defined({ check, verdict, value, requests, limit, reason })',
      replace: 'defined({ check, verdict, value, limit, reason })',
    },
  },
  {
    ...{ item: 9, check: 'rehearse warns', file: 'src/rehearsal/thin-evidence.ts', tests: ['src/rehearsal/mistakes.test.ts'] },
    ...{ find: 'requests < ENOUGH_REQUESTS)', replace: 'requests < 0)' },
  },
];
