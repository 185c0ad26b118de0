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
        ...(message.page === undefined ? {} : { author_link: message.page }),
        text: clean(message.text),
        mrkdwn_in: ['text'],
        fields: fieldsOf(message).map(({ name, value }) => ({ title: clean(name), value: clean(value), short: false })),
      },
    ],
  };
}

/** The page as a field as well: not every client shows that the author is a link. */
function fieldsOf({ fields, page }: AlertMessage): AlertMessage['fields'] {
  return page === undefined ? fields : [...fields, { name: 'Page', value: page }];
}
