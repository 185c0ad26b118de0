import { describePredictions, predictedCases } from '../scenarios/predicted-releases.ts';

describePredictions(predictedCases);
