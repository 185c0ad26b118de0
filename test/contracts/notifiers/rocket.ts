import { attachedLink, type NotifierCase, plain, slackShape } from './notifier-case.ts';

export const rocket: NotifierCase = {
  ...plain,
  readsMarkdown: true,
  path: '/hook/s3cret-path',
  payload: slackShape('#FF0000', false),
  link: attachedLink,
  severity: { error: '"color":"#FF0000"', warn: '"color":"#D97706"' },
  docs: { is: 'its incoming webhook', keys: '`address`' },
  pictures: { rocket: 'Rocket.Chat' },
  limits: { attachment: { fields: 25, all: 5000, text: 5000, value: 1024 } },
};
