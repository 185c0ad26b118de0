import type { ControllerConfig } from '../../controller/config.ts';
import { writtenName } from '../../controller/flags.ts';
import { dashboardSettings } from '../../dashboard/in-cluster/dashboard-settings.ts';
import { type ControllerHost, processHost } from '../../process/controller-host.ts';
import { configOf, ProcessFlags } from '../../process/controller-settings.ts';
import { type DashboardAround, runController, type ServedDashboard } from '../../process/run-controller.ts';
import { ignoredFlagsIn } from '../ignored-flags.ts';
import { messageTemplatesIn } from './message-templates-file.ts';

/** Runs the controller until SIGTERM or SIGINT; the exit code is 0 after a clean stop, and 1 when a flag is unusable or the API server does not answer. */
export async function controllerCommand(options: unknown, env: NodeJS.ProcessEnv, host: ControllerHost = processHost()): Promise<number> {
  const flags = ProcessFlags.safeParse(options);
  const config = flags.success ? configOf(flags.data, env) : undefined;
  const problem = flags.error ?? config?.error;
  if (!flags.success || !config?.success) {
    for (const issue of problem?.issues ?? []) host.complain(`${flagName(issue.path)}: ${issue.message}\n`);
    return 1;
  }
  const messages = messageTemplatesIn(flags.data.messageTemplatesFile);
  if ('problem' in messages) {
    host.complain(`--message-templates-file: ${messages.problem}\n`);
    return 1;
  }
  return runController({
    ...{ flags: flags.data, config: config.data, env, host },
    ignored: ignoredFlagsIn(options as Record<string, unknown>),
    messageTemplates: messages.templates,
    startDashboard: flags.data.dashboard ? (around) => startDashboard(flags.data, config.data, around) : undefined,
  });
}

const flagName = (path: readonly PropertyKey[]): string => `--${writtenName(path.join('.').replace(/Ms$/, ''))}`;

/** `undefined` if the dashboard cannot be served, after the reason is printed. */
async function startDashboard(
  flags: ProcessFlags,
  { dashboardUrl, namespaces, meshProvider }: ControllerConfig,
  around: DashboardAround,
): Promise<ServedDashboard | undefined> {
  const settings = dashboardSettings({ ...flags, dashboardUrl, namespaces, meshProvider });
  if ('problems' in settings) {
    for (const problem of settings.problems) around.complain(`${problem}\n`);
    return undefined;
  }
  // The page is loaded only where it is served.
  const { startControllerDashboard } = await import('../../dashboard/in-cluster/controller-dashboard.ts');
  return startControllerDashboard(settings, around);
}
