import { expect, it } from 'vitest';
import { commitHash, LONGEST_COMMIT, namedCommit } from './commit.ts';

const hash = '0123456789abcdef0123456789abcdef01234567';

it.each([
  ['a hash', hash],
  ['a short one', '0123456'],
  ['capital letters', hash.toUpperCase()],
  ['the form of Flux', `main@sha1:${hash}`],
  ['a branch with slashes and an @', `feature/a@b@sha1:${hash}`],
  ['the form without a branch', `sha1:${hash}`],
])('%s names a commit', (_, text) => {
  expect(commitHash(text)).toEqual({ hash: text === '0123456' ? text : hash });
});

it.each([
  '012345',
  `${hash}${hash}`,
  'v1.2.3',
  'main',
  `main@${hash}`,
  `latest@sha256:${'a'.repeat(64)}`,
  '../../user/keys',
  `${hash}/../x`,
  `${hash}\n`,
  '$ARGOCD_APP_REVISION',
  '',
])('%j names none, and the problem has the remedy and not the text', (text) => {
  const found = commitHash(text);
  expect(found).toEqual({ problem: expect.stringContaining('into the annotation serin.dev/commit') });
  if (text !== '') expect(JSON.stringify(found)).not.toContain(text);
});

const own = 'serin.dev/commit';
const common = 'app.kubernetes.io/commit';
const image = 'org.opencontainers.image.revision';
const workload = (template: object, metadata: object) => ({ metadata, spec: { template: { metadata: template } } });

const [a, b] = ['aaaaaaa', 'bbbbbbb'];
it.each([
  ['the pod template comes before the object', workload({ annotations: { [own]: a } }, { annotations: { [own]: b } }), a],
  ['our key comes before others', workload({ annotations: { [common]: a } }, { annotations: { [own]: b } }), b],
  ['an annotation comes before a label', workload({}, { annotations: { [common]: a }, labels: { [common]: b } }), a],
  ['a label counts', workload({ labels: { [common]: a } }, {}), a],
  ['the key of images comes last', workload({ annotations: { [image]: a, [common]: b } }, {}), b],
  ['an empty text is none', workload({ annotations: { [own]: ' ' } }, { annotations: { [image]: ` ${a}\n` } }), a],
  ['an object without a template has its own', { metadata: { annotations: { [own]: a } } }, a],
  ['the form of Flux is kept as the hash', { metadata: { annotations: { [own]: `main@sha1:${a}` } } }, a],
  ['nothing names none', workload({}, {}), undefined],
])('%s', (_, object, expected) => expect(namedCommit(object)).toBe(expected));

it.each(['x'.repeat(9_999), 'password=hunter2', `latest@sha256:${'a'.repeat(64)}`])(
  'a text that is not a hash is not kept, and has the same problem',
  (text) => {
    const kept = namedCommit({ metadata: { annotations: { [own]: text } } }) ?? '';
    expect(kept.length).toBeLessThanOrEqual(LONGEST_COMMIT);
    expect(text).not.toBe(kept);
    expect(commitHash(kept)).toEqual(commitHash(text));
    expect(kept).not.toMatch(/x|hunter|latest/);
  },
);
