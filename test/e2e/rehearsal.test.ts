import { describePredictions, predictedCases } from '../scenarios/predicted-releases.ts';

const SAMPLE = ['steps of different sizes', 'mirroring', 'A/B', 'weights over nginx'];

describePredictions(predictedCases.filter(({ title }) => SAMPLE.includes(title)));
