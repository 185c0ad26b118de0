import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';

const root = join(import.meta.dirname, '..');
/** Texts for users, and the sources that print them. Tests and the history are not included. */
const folders = ['docs', 'charts', 'kustomize', 'examples', 'src', 'scripts', '.github', '.ci'];

const OPTIONS = String.raw`(?:\s+-{1,2}[\w-]+(?:=\S+)?)*`;
const NAME = String.raw`\s+["']?serin(?:@[\w.^~-]+)?["']?(?![\w./:-])`;
/** Ways to install what any registry has under this name; it is free for anyone to take there. */
const BY_NAME = [
  new RegExp(String.raw`\b(?:npm (?:install|i|add|exec|x)|npx|pnpm (?:add|dlx)|yarn (?:global )?add|bunx?(?: add)?)${OPTIONS}${NAME}`),
  new RegExp(String.raw`\b(?:brew|pip3?|pipx|cargo|apt-get|apt|go|krew|scoop|choco) install${OPTIONS}${NAME}`),
  /\b(?:docker|podman|nerdctl|crictl) (?:pull|run)\b[^\n]*\s(?:docker\.io\/(?:library\/)?)?serin(?:[:@]\S+)?(?=[\s"'`]|$)/,
  /\bhelm (?:install|upgrade|pull|template)\b[^\n]*\sserin\/serin\b/,
];
const byName = (text: string): string[] => text.split('\n').filter((line) => BY_NAME.some((way) => way.test(line)));

it('nothing that users read installs Serin by a bare name, which is not its own in any registry', () => {
  const files = [
    ...readdirSync(root).filter((name) => /^(?:README|CONTRIBUTING|ARCHITECTURE)\.md$/.test(name)),
    ...folders.flatMap((folder) =>
      readdirSync(join(root, folder), { recursive: true, withFileTypes: true })
        .filter((entry) => entry.isFile() && /\.(?:md|ya?ml|ts|txt|tpl|json|sh)$|^[a-z-]+$/.test(entry.name))
        .map((entry) => join(entry.parentPath, entry.name).slice(root.length + 1)),
    ),
  ];
  expect(files.length).toBeGreaterThan(500);
  const found = files.flatMap((file) => byName(readFileSync(join(root, file), 'utf8')).map((line) => `${file}: ${line.trim()}`));
  expect(found).toEqual([]);
});

it.each([
  'npm install --global serin',
  '- run: npm i -g serin@0.1.0',
  'npx serin validate -f .',
  '`npm exec serin` does it',
  'kubectl krew install serin',
  'brew install serin',
  'docker run --rm serin:0.1.0 version',
  'docker pull docker.io/library/serin',
  'helm install serin serin/serin --namespace serin',
])('%s installs by a bare name', (line) => {
  expect(byName(line)).toEqual([line]);
});

it.each([
  'npm install --global ./serin-0.1.0.tgz',
  'npx node src/cli/main.ts validate -f examples',
  'helm install serin charts/serin --namespace serin',
  'helm install serin oci://registry.example.com/charts/serin',
  'docker build -t serin .',
  'docker run registry.example.com/serin:0.1.0',
  'kubectl krew install --manifest=serin.yaml',
])('%s does not', (line) => {
  expect(byName(line)).toEqual([]);
});
