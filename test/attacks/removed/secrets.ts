import { checksOf, type RemovedCheck } from './removed-check.ts';

const GUESSED = 'src/controller/canary/guessed-secrets.simulated.test.ts';
const TWO_SALTS = 'src/controller/adoption/two-salts.simulated.test.ts';
const MARKS = 'src/workloads/configs/read-marks.test.ts';
const SALT = 'src/workloads/configs/salt.test.ts';
const REPORT = 'src/cli/report/secret-traces.test.ts';

const salt = checksOf(4, 'src/workloads/configs/salt.ts', SALT);
const stored = checksOf(4, 'src/controller/adoption/secret-salts.ts', GUESSED, TWO_SALTS);
const marks = checksOf(4, 'src/workloads/configs/read-marks.ts', MARKS, GUESSED);
const report = checksOf(4, 'src/cli/report/secret-traces.ts', REPORT);

/** Content of Secrets that a reader of Canaries must not find by guesses. */
export const secretChecks: readonly RemovedCheck[] = [
  salt('checksums have a salt', "createHmac('sha256', this.#bytes)", "createHmac('sha256', 'serin')"),
  salt('a salt is in a Secret of its own type', 'type === saltType ?', 'type !== undefined ?'),
  salt('a salt has 256 bits', 'bytes?.length === BYTES ?', 'bytes !== undefined ?'),
  checksOf(4, 'src/workloads/configs/checksum.ts', SALT)('equal Secrets have other checksums', 'secret.metadata.name}', "''}"),
  checksOf(
    4,
    'src/controller/facts/tracked-configs.ts',
    'src/controller/facts/tracked-configs.test.ts',
    GUESSED,
  )(
    'a record without a salt is not made again',
    'return isPlain ? undefined : recorded;',
    'return isPlain === null ? undefined : recorded;',
  ),
  stored('a salt of another writer is not taken', '(wanted.size === 0 ? isOwned : wanted.has(salt.id))', 'isOwned !== null'),
  stored('a Secret of another type is not replaced', '      if (found !== undefined && found.type !== saltType) throw error;\n'),
  stored(
    'a salt is not read where Secrets are named',
    'return names.length === 0 || names.includes(saltName(canary));',
    'return names !== undefined;',
  ),
  stored('the heir gets the salt', 'await this.#replace(heir, salt.render(heir, anchorReference(anchor)), signal);', ''),
  marks('a lost salt: the copy is compared', 'if (copy !== undefined && hasSameContent(copy, secret)) return true;', ''),
  marks('a lost salt: another copy is a change', 'copy !== undefined && isPromoted ? false : isMadeAgain', 'isMadeAgain'),
  marks('a checksum of before starts no release', 'saltIdOf(checksum) === undefined ? checksum === unsalted : ', ''),
  report('a report has no checksum without a salt', '[...this.#checksums].reduce', '[].reduce'),
  report('a report has no checksum with a salt', 'text.replace(SALTED, HIDDEN)', 'text'),
  report('a report has no revision', '.replace(REVISION, ', '.replace(/(?!)/, '),
  report('a report has no name of a copy', '.replace(COPY, ', '.replace(/(?!)/, '),
];
