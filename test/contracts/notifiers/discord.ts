import { attachedLink, type NotifierCase, plain, slackShape } from './notifier-case.ts';

export const discord: NotifierCase = {
  ...plain,
  readsMarkdown: true,
  path: '/hook/s3cret-path/slack',
  payload: slackShape('danger', false, false),
  link: attachedLink,
  severity: { error: '"color":"danger"', warn: '"color":"warning"' },
  docs: { is: 'its incoming webhook', keys: '`address`' },
  pictures: { discord: 'Discord' },
  limits: { attachment: { fields: 25, all: 6000, text: 4096, value: 1024, name: 256 } },
};
