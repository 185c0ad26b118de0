import { leave } from '../scenarios/world.ts';

// Before each file, leave the world of the previous file.
leave();
