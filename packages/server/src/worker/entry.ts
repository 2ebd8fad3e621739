import { serveInWorker } from './worker-api.ts';

// The file that worker threads run where the server is not bundled.
serveInWorker();
