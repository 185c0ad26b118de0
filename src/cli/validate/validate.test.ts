import { mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, relative } from 'node:path';
import { describe, expect, it } from 'vitest';
import { type ValidateArgs, validateCommand } from './validate.ts';

const folder = join(import.meta.dirname, '..', '..', '..', 'test', 'fixtures', 'manifests');

async function validated(files: string[], { stdin, ...more }: Partial<Omit<ValidateArgs, 'stdin'>> & { stdin?: string } = {}) {
  const lines: string[] = [];
  const summary: string[] = [];
  const code = await validateCommand(
    {
      files: files.map((file) => (file === '-' ? file : join(folder, file))),
      ...(stdin === undefined ? {} : { stdin: Buffer.from(stdin) }),
      ...more,
    },
    (line) => lines.push(line.replace(`${folder}/`, '')),
    (line) => summary.push(line),
  );
  return { code, lines, summary: summary.join() };
}

/** Nine times nine times nine … */
const bomb = `n0: &n0 [x,x,x,x,x,x,x,x,x]\n${Array.from({ length: 8 }, (_, i) => `n${i + 1}: &n${i + 1} [${Array(9).fill(`*n${i}`)}]`).join('\n')}\n`;

describe('serin validate', () => {
  it.each(['istio-weighted', 'nginx-ab', 'gateway-affinity', 'kubernetes-blue-green', 'knative', 'list-of-three'])(
    'has nothing to say about %s',
    async (name) => {
      const { code, lines } = await validated([`${name}.yaml`]);
      expect({ code, lines }).toEqual({ code: 0, lines: [] });
    },
  );

  it('a window that surely holds too little to decide by is a warning at its line', async () => {
    const thin = readFileSync(join(folder, 'istio-weighted.yaml'), 'utf8').replace(
      'success-rate, interval: 1m',
      'success-rate, interval: 4s',
    );
    const { code, lines } = await validated(['-'], { stdin: thin });
    const at = thin.split('\n').findIndex((line) => line.includes('interval: 4s')) + 1;
    expect({ code, lines }).toEqual({
      code: 0,
      lines: [
        expect.stringMatching(
          new RegExp(
            `^stdin:${at} .*: warning: spec\\.analysis\\.metrics\\[\\d\\]\\.interval: is "4s", .* and few requests decide a check: `,
          ),
        ),
      ],
    });
  });

  it('checks a file with texts of alerts, with and without manifests', async () => {
    const own = mkdtempSync(join(tmpdir(), 'serin-validate-'));
    const messageTemplatesFile = join(own, 'templates.yaml');
    writeFileSync(messageTemplatesFile, 'Failed: "{{name}} failed"\n');
    expect(await validated([], { messageTemplatesFile })).toEqual({
      code: 0,
      lines: [],
      summary: '0 objects checked: 0 errors, 0 warnings',
    });
    writeFileSync(messageTemplatesFile, 'Failed: "{{nme}} failed"\n');
    const { code, lines, summary } = await validated(['istio-weighted.yaml'], { messageTemplatesFile });
    rmSync(own, { recursive: true });
    expect([code, lines]).toEqual([
      1,
      [expect.stringContaining(`${messageTemplatesFile}: Failed: {{nme}} is not a variable here: use one of text,`)],
    ]);
    expect(summary).toBe('1 object checked: 1 error, 0 warnings');
  });

  it('writes nothing that a terminal would obey, for any name of a file, an object or a field', async () => {
    const hostile = 'a\x1b[2J\u202e\u009b31m';
    const own = mkdtempSync(join(tmpdir(), 'serin-validate-'));
    const file = join(own, `${hostile}.yaml`);
    const canary = { apiVersion: 'flagger.app/v1beta1', kind: 'Canary', metadata: { name: hostile }, spec: { [hostile]: hostile } };
    writeFileSync(file, `${JSON.stringify(canary)}\n---\n{${hostile}`);
    const { lines, summary } = await validated([relative(folder, file), relative(folder, join(own, hostile))], { strict: true });
    rmSync(own, { recursive: true });
    expect(lines.length).toBeGreaterThan(2);
    for (const line of [...lines, summary]) expect(line).not.toMatch(/[\p{Cc}\p{Cf}]/u);
  });

  it('an address of this pod or node is a warning unless the flag lists it, and a metadata service an error', async () => {
    const template = (address: string) =>
      `apiVersion: flagger.app/v1beta1\nkind: MetricTemplate\nmetadata: {name: t}\nspec:\n  provider:\n    type: prometheus\n    address: ${address}\n  query: up{app="{{ target }}"}\n`;
    const said = async (address: string, allowedLocalAddresses: string[] = []) => {
      const { code, lines } = await validated(['-'], { stdin: template(address), allowedLocalAddresses });
      return { code, lines };
    };
    const why = 'is a loopback address, which is called only where --allowed-local-addresses lists it';
    expect(await said('http://localhost:9090')).toEqual({
      code: 0,
      lines: [expect.stringMatching(`:7 MetricTemplate/t: warning: spec.provider.address: localhost ${why}$`)],
    });
    expect(await said('http://0x7f000001:9090', ['127.0.0.1'])).toEqual({ code: 0, lines: [] });
    expect(await said('http://169.254.169.254/', ['169.254.0.0/16'])).toEqual({
      code: 1,
      lines: [expect.stringContaining('error: spec.provider.address: 169.254.169.254 is a metadata service of a cloud')],
    });
  });

  it('names file, line, object and field, and the likely spelling of an unknown field', async () => {
    const { code, lines, summary } = await validated(['bad-typo.yaml']);
    expect(code).toBe(1);
    expect(lines).toEqual([
      expect.stringMatching(/^bad-typo\.yaml:12 Canary\/shop: error: spec\.analysis\.stepWeight: is not above 0/),
      expect.stringMatching(/^bad-typo\.yaml:8 Canary\/shop: warning: spec\.service\.targetport: .*did you mean targetPort\?$/),
    ]);
    expect(summary).toBe('1 object checked: 1 error, 1 warning');
  });

  it('an object whose name is not a text is shown by its kind, and the field is named', async () => {
    const named = { apiVersion: 'flagger.app/v1beta1', kind: 'Canary', metadata: { name: { name: null } } };
    const { lines } = await validated(['-'], { stdin: JSON.stringify(named) });
    expect(lines[0]).toBe('stdin:1 Canary/?: error: metadata.name: is an object: it must be a text (in quotes, if it looks like a number)');
    expect(lines.join()).not.toContain('[object Object]');
  });

  it('counts lines over documents and passes over other kinds', async () => {
    const { lines } = await validated(['bad-types.yaml']);
    expect(lines.map((line) => line.split(': ').slice(0, 3).join(' '))).toEqual([
      'bad-types.yaml:11 Canary/shop error spec.service.port',
      'bad-types.yaml:13 Canary/shop error spec.analysis.interval',
    ]);
  });

  it('reports text that is not YAML with its line', async () => {
    const { code, lines } = await validated(['bad-yaml.yaml']);
    expect(code).toBe(1);
    expect(lines[0]).toMatch(/^bad-yaml\.yaml:[34] document: error: is not YAML/);
  });

  it('refuses a version that is served no more', async () => {
    expect((await validated(['bad-version.yaml'])).lines[0]).toMatch(/^bad-version\.yaml:1 Canary\/shop: error: apiVersion: .*v1beta1$/);
  });

  it('names the field that the traffic provider cannot express, as the controller would', async () => {
    const { code, lines } = await validated(['bad-route.yaml', 'gateway-affinity.yaml']);
    expect({ code, lines }).toEqual({
      code: 1,
      lines: ['bad-route.yaml:16 Canary/shop: error: spec.service.match[0].authority: cannot be said in HTTPRoutes; provider istio can'],
    });
  });

  it('reads a folder, and says which file is missing', async () => {
    const { code, summary } = await validated(['.']);
    expect(code).toBe(1);
    expect(summary).toMatch(/^12 objects checked: /);
    expect((await validated(['absent.yaml'])).lines[0]).toBe('absent.yaml: error: does not exist: correct the path');
  });

  it('reads stdin, and only a warning does not fail; with --strict an unknown field is an error', async () => {
    const stdin =
      'apiVersion: flagger.app/v1beta1\nkind: AlertProvider\nmetadata: {name: chat}\nspec: {type: slack, address: http://a.b, chanel: x}\n';
    const { code, lines } = await validated(['-'], { stdin });
    expect({ code, lines }).toEqual({
      code: 0,
      lines: [expect.stringMatching(/^stdin:4 AlertProvider\/chat: warning: spec\.chanel: .*did you mean channel\?$/)],
    });
    const strict = await validated(['-'], { stdin, strict: true });
    expect({ code: strict.code, line: strict.lines[0] }).toEqual({ code: 1, line: lines[0]?.replace('warning', 'error') });
  });

  it('an AlertProvider without an address is an error, since its definition refuses it', async () => {
    const stdin = 'apiVersion: flagger.app/v1beta1\nkind: AlertProvider\nmetadata: {name: chat}\nspec: {type: slack}\n';
    const { code, lines } = await validated(['-'], { stdin });
    expect({ code, lines }).toEqual({ code: 1, lines: [expect.stringMatching(/^stdin:4 AlertProvider\/chat: error: spec: has neither/)] });
  });

  it('names the line of a template that cannot be rendered', async () => {
    const list = readFileSync(join(folder, 'list-of-three.yaml'), 'utf8');
    const { code, lines } = await validated(['-'], { stdin: list.replace('{{ target }}', '{{ goal }}') });
    expect(code).toBe(1);
    expect(lines).toEqual([
      expect.stringMatching(/^stdin:7 MetricTemplate\/errors: error: spec\.query: query template 1:16, .* function "goal" not defined/),
    ]);
  });

  it('refuses MetricTemplates and AlertProviders that cannot work, with the line of the field', async () => {
    const stdin = [
      'apiVersion: flagger.app/v1beta1',
      'kind: MetricTemplate',
      'metadata: { name: errors }',
      'spec:',
      '  provider:',
      '    type: graphite',
      '    address: graphite:8080',
      '  query: |',
      '    target=sum({{ tarrget }})',
      '---',
      'apiVersion: flagger.app/v1beta1',
      'kind: AlertProvider',
      'metadata: { name: chat }',
      'spec:',
      '  type: slack',
      '  address: hooks.slack.com/x',
    ].join('\n');
    const { code, lines } = await validated(['-'], { stdin });
    expect(code).toBe(1);
    expect(lines).toEqual([
      expect.stringMatching(/^stdin:7 MetricTemplate\/errors: error: spec\.provider\.address: is not an address/),
      expect.stringMatching(/^stdin:[89] MetricTemplate\/errors: error: spec\.query: query template 1:15, in \{\{ tarrget \}\}/),
      expect.stringMatching(/^stdin:16 AlertProvider\/chat: error: spec\.address: the address must be an http or https URL/),
    ]);
  });

  it('finds that an AlertProvider which marks commits has no token', async () => {
    const provider = (spec: string) => `apiVersion: flagger.app/v1beta1\nkind: AlertProvider\nmetadata: { name: commits }\nspec: ${spec}\n`;
    const address = 'https://github.com/org/repo';
    const secret = '---\napiVersion: v1\nkind: Secret\nmetadata: { name: keys }\nstringData: { password: x }\n';
    const without = await validated(['-'], { stdin: provider(`{ type: github, address: '${address}' }`) });
    expect(without).toMatchObject({
      code: 1,
      lines: [expect.stringContaining('spec.secretRef: is absent: name a Secret whose key token')],
    });
    const empty = await validated(['-'], {
      stdin: provider(`{ type: github, address: '${address}', secretRef: { name: keys } }`) + secret,
    });
    expect(empty).toMatchObject({ code: 1, lines: [expect.stringContaining('is keys, a Secret without the key token')] });
  });

  it.each<[string, string | Buffer, string]>([
    ['aliases that unfold without end', bomb, 'f.yaml:7 document: error: unfolds its aliases without end: write it without them'],
    [
      'an alias without an anchor',
      'a: *nope\n',
      'f.yaml:1 document: error: is not YAML: Unresolved alias: define the anchor before its alias',
    ],
    ['lists within lists', '['.repeat(20_000), 'is not YAML: it is nested too deeply: write it flatter'],
    ['bytes', Buffer.from([1, 0, 255]), 'f.yaml: error: is not UTF-8 text: save it as UTF-8, or leave it out'],
    ['UTF-16', Buffer.from('kind: Canary', 'utf16le'), 'is not UTF-8 text'],
  ])('names %s in one line, and fails', async (_, content, message) => {
    const away = mkdtempSync(join(tmpdir(), 'serin-validate-'));
    writeFileSync(join(away, 'f.yaml'), content);
    const { code, lines } = await validated([relative(folder, away)]);
    rmSync(away, { recursive: true });
    expect(code).toBe(1);
    expect(lines).toHaveLength(1);
    expect(lines[0]?.replace(/^.*(?=f\.yaml)/, '')).toContain(message);
  });

  it('reads a folder whose links lead nowhere or back to it', async () => {
    const away = mkdtempSync(join(tmpdir(), 'serin-validate-'));
    writeFileSync(join(away, 'good.yaml'), readFileSync(join(folder, 'istio-weighted.yaml')));
    mkdirSync(join(away, 'deeper'));
    symlinkSync(away, join(away, 'deeper', 'back.yaml'));
    symlinkSync(away, join(away, 'deeper', 'back'));
    symlinkSync(join(away, 'gone'), join(away, 'dangling.yaml'));
    symlinkSync(join(away, 'good.yaml'), join(away, 'deeper', 'linked.yaml'));
    const { code, lines, summary } = await validated([relative(folder, away)]);
    rmSync(away, { recursive: true });
    expect(lines).toEqual([expect.stringMatching(/dangling\.yaml: error: does not exist/)]);
    expect(summary).toBe('2 objects checked: 1 error, 0 warnings');
    expect(code).toBe(1);
  });

  describe('TrafficSplits', () => {
    const service = (name: string, port: number) =>
      `apiVersion: v1\nkind: Service\nmetadata: {name: ${name}, namespace: prod}\nspec: {ports: [{port: ${port}}]}\n`;
    const split = (backends: string) =>
      `apiVersion: split.smi-spec.io/v1alpha4\nkind: TrafficSplit\nmetadata: {name: birds, namespace: prod}\nspec:\n  service: birds\n  backends:\n${backends}`;
    const two = '  - {service: blue, weight: 50}\n  - {service: green, weight: 50}\n';

    it('names the backend that lacks a port of its root, and the port, from Services in any of the files', async () => {
      const folder = mkdtempSync(join(tmpdir(), 'serin-splits-'));
      writeFileSync(join(folder, 'services.yaml'), [service('birds', 8080), service('blue', 1024), service('green', 8080)].join('---\n'));
      writeFileSync(join(folder, 'split.yaml'), split(two));
      const lines: string[] = [];
      const code = await validateCommand({ files: [folder] }, (line) => lines.push(line));
      expect(code).toBe(0);
      expect(lines).toEqual([
        expect.stringMatching(/split\.yaml:7 TrafficSplit\/birds: warning: spec\.backends\[0\]\.service: .*blue.*8080/),
      ]);
      rmSync(folder, { recursive: true });
    });

    it('finds a split that names its own root, and a split that leads to the root of another', async () => {
      const inner = split(two).replace('name: birds,', 'name: inner,').replace('service: birds', 'service: blue');
      const stdin = `${split('  - {service: birds, weight: 900}\n  - {service: blue, weight: 100}\n')}---\n${inner}`;
      const { code, lines } = await validated(['-'], { stdin });
      expect(code).toBe(0);
      expect(lines).toEqual([
        expect.stringMatching(/^stdin:7 TrafficSplit\/birds: warning: .*itself/),
        expect.stringMatching(/^stdin:8 TrafficSplit\/birds: warning: .*inner/),
        expect.stringMatching(/^stdin:\d+ TrafficSplit\/inner: warning: .*blue, the root itself/),
      ]);
    });

    it('finds a Canary whose split has a root with other ports', async () => {
      const canary = `apiVersion: flagger.app/v1beta1\nkind: Canary\nmetadata: {name: shop, namespace: prod}\nspec:\n  provider: linkerd\n  targetRef: {apiVersion: apps/v1, kind: Deployment, name: shop}\n  service:\n    port: 80\n    hosts: [birds]\n  analysis: {interval: 1m, threshold: 5, stepWeight: 10, metrics: [{name: request-success-rate, thresholdRange: {min: 99}}]}\n`;
      const { lines } = await validated(['-'], { stdin: `${canary}---\n${service('birds', 8080)}` });
      expect(lines).toHaveLength(2);
      expect(lines[0]).toMatch(/^stdin:9 Canary\/shop: warning: spec\.service\.hosts\[0\]: birds: .*no port 8080/);
    });

    it.each(['spec: 5', 'spec: {service: [], backends: {}}', 'metadata: 5\nspec: {service: a, backends: [null, 5]}', ''])(
      'survives a split like %j',
      async (spec) => {
        const { code } = await validated(['-'], { stdin: `apiVersion: split.smi-spec.io/v1alpha4\nkind: TrafficSplit\n${spec}\n` });
        expect(code).toBe(1);
      },
    );
  });
});

describe('serin validate of a Canary and its target', () => {
  const canary = (service: string) => `apiVersion: flagger.app/v1beta1
kind: Canary
metadata: { name: shop, namespace: prod }
spec:
  targetRef: { apiVersion: apps/v1, kind: Deployment, name: shop }
  service:
    port: 80
    ${service}
  analysis: { interval: 1m, threshold: 5, stepWeight: 10 }
`;
  const target = (containers: string) => `apiVersion: apps/v1
kind: Deployment
metadata: { name: shop }
spec: { selector: { matchLabels: { app: shop } }, template: { metadata: { labels: { app: shop } }, spec: { containers: ${containers} } } }
`;
  const errorsIn = (lines: string[]) => lines.filter((line) => line.includes(': error: '));
  const web = '[{ name: shop, ports: [{ name: web, containerPort: 9898 }] }]';
  const service = (spec: string) => `apiVersion: v1\nkind: Service\nmetadata: { name: shop, namespace: prod }\nspec: ${spec}\n`;

  it.each([
    ['a named port', 'targetPort: http', target(web), /:8 Canary\/shop: error: spec\.service\.targetPort: no container.*web 9898\/TCP/],
    [
      'a number',
      'targetPort: 80',
      `${target(web)}---\n${service('{ ports: [{ name: http, port: 80, targetPort: web }], selector: { app: shop } }')}`,
      /targetPort: port 80 of Service shop leads to 9898/,
    ],
    [
      'an external name',
      'targetPort: web',
      `${target(web)}---\n${service('{ type: ExternalName, externalName: x.test }')}`,
      /spec\.service\.name: Service shop is of type ExternalName/,
    ],
  ])('I14: %s that does not fit is found, with its line', async (_, field, beside, message) => {
    const { code, lines } = await validated(['-'], { stdin: `${canary(field)}---\n${beside}` });
    expect([code, errorsIn(lines)]).toEqual([1, [expect.stringMatching(message)]]);
  });

  it.each([
    ['a name that the container has', '{ httpGet: { port: web } }', []],
    ['a number in quotes', "{ tcpSocket: { port: '9898' } }", []],
    [
      'a name that it lacks',
      '{ httpGet: { port: http } }',
      [/readinessProbe\.httpGet\.port: is http, and container shop has no port.*it has web/],
    ],
  ])('a probe at %s', async (_, probe, messages) => {
    const beside = target(`[{ name: shop, ports: [{ name: web, containerPort: 9898 }], readinessProbe: ${probe} }]`);
    const { lines } = await validated(['-'], { stdin: `${canary('targetPort: web')}---\n${beside}` });
    expect(errorsIn(lines)).toEqual(messages.map((message) => expect.stringMatching(message)));
  });
  it.each([target(web), target('wrong'), target('[null, { ports: 1 }, { ports: [null, { name: web, containerPort: 1 }] }]'), ''])(
    'I14: and nothing where it fits, or is not known: %#',
    async (beside) => {
      const field = beside.includes('wrong') ? 'targetPort: 9898' : 'targetPort: web';
      const { code, lines } = await validated(['-'], { stdin: `${canary(field)}---\n${beside}` });
      expect([code, errorsIn(lines)]).toEqual([0, []]);
    },
  );
});
