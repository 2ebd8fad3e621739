import { loadProgram } from './load-program.ts';

// The file that worker threads of a bundled server run.
void loadProgram().program.runWorker();
