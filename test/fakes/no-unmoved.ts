import { throwOnUnmoved } from '../../src/engine/unmoved.ts';

/** A decision without a move fails the test in which it is made. */
throwOnUnmoved(true);
