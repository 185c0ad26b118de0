import { describeForetold, foretoldCases } from '../scenarios/predicted-releases.ts';

describeForetold(foretoldCases);
