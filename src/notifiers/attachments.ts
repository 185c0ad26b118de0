import { type AlertMessage, type ReceiverSettings, workloadName } from './notifier.ts';

/** The form that Slack, Discord and Rocket.Chat share (05-A41–A43). */
export function attachments(
  message: AlertMessage,
  { channel, username }: ReceiverSettings,
  color: string,
  clean: (text: string) => string,
): object {
  return {
    channel,
    username,
    icon_url: '',
    icon_emoji: ':rocket:',
    attachments: [
      {
        color,
        author_name: workloadName(message),
        text: clean(message.text),
        mrkdwn_in: ['text'],
        fields: message.fields.map(({ name, value }) => ({ title: clean(name), value: clean(value), short: false })),
      },
    ],
  };
}
