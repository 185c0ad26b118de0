import { leave } from '../scenarios/world.ts';

// Before each file, whatever world the one before it has played in.
leave();
