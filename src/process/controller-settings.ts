import * as z from 'zod';
import { CommandLine, ControllerConfig, settingName } from '../controller/config.ts';
import { flagEntries } from '../controller/flags.ts';
import { proxiesIn } from '../outgoing/proxy.ts';

/** Follows client-go: 0 means the default, and a rate below 0 has no limit. */
const orDefault = (value: number, otherwise: number) => (value === 0 ? otherwise : value);

/** The flags of a controller's process. */
export const ProcessFlags = CommandLine.transform(({ kubeconfigQps, kubeconfigBurst, ...flags }, context) => {
  const burst = orDefault(kubeconfigBurst, 10);
  if (burst < 0)
    context.addIssue({ code: 'custom', path: ['kubeconfigBurst'], message: 'must be a number of requests: write it like 250' });
  if (flags.shards !== undefined && Number(flags.shards) > 1 && !flags.enableLeaderElection)
    context.addIssue({ code: 'custom', path: ['shards'], message: 'more than 1 needs --enable-leader-election' });
  if (flags.watchSilence === 0) context.addIssue({ code: 'custom', path: ['watchSilence'], message: 'must be more than 0s' });
  return { ...flags, kubeconfigQps: orDefault(kubeconfigQps, 5), kubeconfigBurst: burst };
}).and(z.object({ logLevel: z.string(), endWithStdin: z.boolean().default(false) }));
export type ProcessFlags = z.infer<typeof ProcessFlags>;

/** The settings by command line and environment, whose variables win where they are not empty. */
export function configOf(options: CommandLine, env: NodeJS.ProcessEnv) {
  const values = flagEntries.map(([name, flag]) => [settingName(name, flag), (flag.env && env[flag.env]) || options[name]]);
  return ControllerConfig.safeParse({
    ...Object.fromEntries(values),
    namespaces: [...new Set([...options.namespace, ...options.namespaces])],
    proxyEnvironment: proxiesIn(env),
  });
}
