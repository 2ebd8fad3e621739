import { ServiceRepair } from '@tsukube/builtin';
import { type Announced, type AnnouncementContext, registryIn } from './announcement.ts';

const everyMs = 180_000;

/** Keeps what is written down of addresses and ports in line with the services that have them. */
export function serviceRepair(context: AnnouncementContext): Announced {
  const repair = ServiceRepair.of(registryIn(context, '', 'services'), context.serviceRanges);
  let failure: unknown;
  const run = async (look: 'once' | 'run') => {
    try {
      const contested = await repair[look](context.now());
      for (const address of contested) context.logger.warn('two services have the same address', { address });
      failure = undefined;
    } catch (error) {
      failure = error;
      context.logger.warn('addresses and ports of services could not be checked', { error: String(error) });
    }
  };
  void run('once');
  const timer = setInterval(() => void run('run'), everyMs).unref();
  return {
    stop: () => clearInterval(timer),
    check() {
      if (failure !== undefined) throw failure;
    },
  };
}
