import { loadProgram } from './load-program.ts';

// Entry file of worker threads of a bundled server.
void loadProgram().program.runWorker();
