import { describeForetold, foretoldCases } from '../suite/foretold-releases.ts';

describeForetold(foretoldCases);
