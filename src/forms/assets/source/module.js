// The entry point of the ES module: the page calls `start`.

import * as daicho from './daicho.js';

daicho.configure({ base: new URL('..', import.meta.url).href });

export * from './daicho.js';
export default daicho;
