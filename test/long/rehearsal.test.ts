import { describeForetold, foretoldCases } from '../scenarios/foretold-releases.ts';

describeForetold(foretoldCases);
