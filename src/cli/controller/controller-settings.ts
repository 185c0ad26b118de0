import { type CommandLine, ControllerConfig, settingName } from '../../controller/config.ts';
import { flagEntries } from '../../controller/flags.ts';
import { proxiesIn } from '../../outgoing/proxy.ts';

/** The settings by command line and environment, whose variables win where they are not empty (05-A37). */
export function configOf(options: CommandLine, env: NodeJS.ProcessEnv) {
  const values = flagEntries.map(([name, flag]) => [settingName(name, flag), (flag.env && env[flag.env]) || options[name]]);
  return ControllerConfig.safeParse({
    ...Object.fromEntries(values),
    namespaces: [...new Set([...options.namespace, ...options.namespaces])],
    proxyEnvironment: proxiesIn(env),
  });
}
