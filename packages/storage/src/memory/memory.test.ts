import { ManualClock, storeContract } from '../contract/index.ts';
import { openMemory } from './index.ts';

storeContract('memory', async () => {
  const clock = new ManualClock();
  const store = openMemory({ clock });
  return { store, advance: (seconds) => clock.advance(seconds), close: () => store.close() };
});
