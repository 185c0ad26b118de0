import { describeForetold, foretoldCases } from '../scenarios/predicted-releases.ts';

const SAMPLE = ['steps of different sizes', 'mirroring', 'A/B', 'weights over nginx'];

describeForetold(foretoldCases.filter(({ title }) => SAMPLE.includes(title)));
