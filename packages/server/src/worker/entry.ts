import { serveInWorker } from './worker-main.ts';

// The file that worker threads run where the server is not bundled.
serveInWorker();
