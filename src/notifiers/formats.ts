/** Every format of alerts, exported by the value of `spec.type`. */

export { alertmanager } from './alertmanager.ts';
export { discord } from './discord.ts';
export { gchat } from './gchat.ts';
export { msteams } from './msteams.ts';
export { rocket } from './rocket.ts';
export { slack } from './slack.ts';
export { webhook } from './webhook.ts';
