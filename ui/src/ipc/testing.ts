// Set up once for every test file: no test may reach for a real program.
import { answerFrom } from './call';
import { signalsFrom } from './window';

answerFrom(() => Promise.reject({ code: 'internal', message: 'this test answers no calls' }));
signalsFrom(() => Promise.resolve(() => undefined));
