import { notifierFor } from '../../notifiers/index.ts';
import type { Notifier } from '../../notifiers/notifier.ts';
import { ownEgress } from '../../outgoing/own-egress.ts';
import type { ControllerConfig } from '../config.ts';

type GlobalNotifierConfig = Pick<
  ControllerConfig,
  'slackUrl' | 'slackToken' | 'slackProxyUrl' | 'slackUser' | 'slackChannel' | 'msteamsUrl' | 'msteamsProxyUrl' | 'proxyEnvironment'
>;

/**
 * The receiver of Canaries without alerts in their spec: Teams if it has an address, else Slack. `undefined` if neither is named. A problem names the
 * flag, and nothing of its value.
 */
export function globalNotifier(config: GlobalNotifierConfig): Notifier | { problem: string } | undefined {
  const { msteamsUrl, msteamsProxyUrl, slackUrl, slackToken, slackProxyUrl, slackUser, slackChannel } = config;
  const options = { egress: ownEgress(config) };
  if (msteamsUrl !== '') return named('--msteams-url', notifierFor('msteams', { address: msteamsUrl, proxy: msteamsProxyUrl }, options));
  if (slackUrl === '') return undefined;
  if (slackUser === '') return { problem: '--slack-user is empty: name the sender of alerts' };
  if (slackChannel === '') return { problem: '--slack-channel is empty: name the channel that alerts go to' };
  const given = { address: slackUrl, token: slackToken, proxy: slackProxyUrl, username: slackUser, channel: slackChannel };
  return named('--slack-url', notifierFor('slack', given, options));
}

function named(flag: string, made: Notifier | { problem: string }): Notifier | { problem: string } {
  return 'problem' in made ? { problem: `${flag}: ${made.problem}` } : made;
}
