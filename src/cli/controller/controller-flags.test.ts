import { Command } from 'commander';
import { describe, expect, it } from 'vitest';
import { CommandLine, ControllerConfig, settingName } from '../../controller/config.ts';
import { flagEntries, writtenName } from '../../controller/flags.ts';
import { configOf } from '../../process/controller-settings.ts';
import { withTwoDashes } from '../go-flags.ts';
import { addControllerCommand } from './controller-options.ts';

/** Options that the command gets for these words. */
async function options(...words: string[]): Promise<CommandLine> {
  let found: unknown;
  const program = new Command();
  addControllerCommand(program, async (given) => {
    found = given;
  });
  await program.parseAsync(['controller', ...withTwoDashes(words)], { from: 'user' });
  return CommandLine.parse(found);
}

const settings = async (env: NodeJS.ProcessEnv, ...words: string[]) => configOf(await options(...words), env);

describe('the flags of the controller', () => {
  it.each(['', ' ', 'many', '1.5', '-1'])('--port "%s" is not a number and is refused', async (port) => {
    await expect(options('--port', port)).rejects.toThrow();
  });

  it('a command line without flags gives the defaults of the settings', async () => {
    expect((await settings({})).data).toEqual(ControllerConfig.parse({}));
  });

  it.each(flagEntries.filter(([, { isOfCommand }]) => !isOfCommand))('--%s reaches its setting', async (name, flag) => {
    const special: Record<string, [word: string, setting: unknown]> = {
      canarySelector: ['team=shop', 'team=shop'],
      meshProvider: ['linkerd', 'linkerd'],
      metricsServer: ['http://p:1', 'http://p:1'],
      dashboardUrl: ['https://serin.example.org', 'https://serin.example.org'],
      secretsMode: ['get', 'get'],
      companions: ['networkPolicies', ['networkPolicies']],
      arrival: ['warn', 'warn'],
      allowedHosts: ['team=a.example.com', expect.anything()],
      allowedAddresses: ['10.0.0.0/8', ['10.0.0.0/8']],
      allowedLocalAddresses: ['127.0.0.1', ['127.0.0.1']],
    };
    const byKind = {
      text: ['some.text', 'some.text'],
      list: ['a,b', ['a', 'b']],
      pairs: ['team=a/b', expect.anything()],
      switch: [flag.fallback === true ? 'false' : 'true', flag.fallback !== true],
      duration: ['90s', 90_000],
      count: ['7', 7],
      rate: ['7', 7],
    } as const;
    const [word, setting] = special[name] ?? byKind[flag.kind];
    const data: Record<string, unknown> = { ...(await settings({}, `-${writtenName(name)}=${word}`)).data };
    expect(data[settingName(name, flag)]).toEqual(setting);
  });

  it('a variable that is not empty wins over its flag', async () => {
    for (const [name, { env }] of flagEntries) {
      if (env === undefined) continue;
      const flag = `--${writtenName(name)}=of-flag`;
      expect((await settings({ [env]: 'of-variable' }, flag)).data).toMatchObject({ [name]: 'of-variable' });
      expect((await settings({ [env]: '' }, flag)).data).toMatchObject({ [name]: 'of-flag' });
    }
  });

  it('only the variables of proxies are kept of the environment', async () => {
    const { data } = await settings({ HTTPS_PROXY: 'http://p', no_proxy: 'a', HTTP_PROXY: '', HOME: '/x' });
    expect(data?.proxyEnvironment).toEqual({ HTTPS_PROXY: 'http://p', no_proxy: 'a' });
  });

  it.each([
    ['--uninstall-grace=soon', 'uninstallGrace'],
    ['--port=70000', 'port'],
    ['--journal-limit=101', 'journalLimit'],
    ['--companions=services', 'companions'],
    ['--allowed-addresses=here', 'allowedAddresses'],
    ['--allowed-local-addresses=localhost', 'allowedLocalAddresses'],
    ['--metrics-server=prometheus', 'metricsServer'],
    ['--canary-selector=a b', 'canarySelector'],
  ])('%s is refused, and named', async (word, field) => {
    const found = await settings({}, word).catch((error: unknown) => ({ error: error as { issues: { path: PropertyKey[] }[] } }));
    expect(found.error?.issues.map(({ path }) => path[0])).toEqual([field]);
  });
});
