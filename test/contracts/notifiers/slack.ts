import { attachedLink, type NotifierCase, slackShape } from './notifier-case.ts';

export const slack: NotifierCase = {
  path: '/hook/s3cret-path',
  payload: slackShape('danger', true),
  link: attachedLink,
  severity: { error: '"color":"danger"', warn: '"color":"warning"' },
  takesToken: true,
  isSigned: false,
  readsBody: true,
  docs: {
    is: 'an incoming webhook, or `https://slack.com/api/chat.postMessage` with a bot token; `ok: false` is a failure',
    keys: '`address`, `token`',
  },
  pictures: { slack: 'Slack' },
  limits: { attachment: { fields: 25, all: 16_000, text: 3000, value: 2000 } },
};
