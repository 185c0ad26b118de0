import type { ControllerConfig } from '../../controller/config.ts';

type Flags = Pick<ControllerConfig, 'slackUrl' | 'slackToken' | 'slackProxyUrl' | 'msteamsUrl' | 'msteamsProxyUrl'>;

const proxyVariables = ['HTTP_PROXY', 'HTTPS_PROXY', 'NO_PROXY', 'http_proxy', 'https_proxy', 'no_proxy'] as const;

/** Alert settings from the environment; a variable that is not empty wins over its flag, and user and channel have none (05-A37). */
export function alertFlags(flags: Flags, env: NodeJS.ProcessEnv): Flags & Pick<ControllerConfig, 'proxyEnvironment'> {
  return {
    slackUrl: env.SLACK_URL || flags.slackUrl,
    slackToken: env.SLACK_TOKEN || flags.slackToken,
    slackProxyUrl: env.SLACK_PROXY_URL || flags.slackProxyUrl,
    msteamsUrl: env.MSTEAMS_URL || flags.msteamsUrl,
    msteamsProxyUrl: env.MSTEAMS_PROXY_URL || flags.msteamsProxyUrl,
    proxyEnvironment: Object.fromEntries(proxyVariables.flatMap((name) => (env[name] ? [[name, env[name]]] : []))),
  };
}
