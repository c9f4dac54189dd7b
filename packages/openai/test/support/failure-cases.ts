/** Errors that are answered with status 200, whether they may be over soon, and their code. */
export const ANSWERED: [error: unknown, later: boolean, code: string | undefined][] = [
  [{ message: 'Slow down.', code: 'rate_limit_exceeded' }, true, 'rate_limit_exceeded'],
  [{ message: 'Sorry.', type: 'server_error' }, true, 'server_error'],
  [{ message: 'No such model.', code: 'model_not_found' }, false, 'model_not_found'],
  [{ message: 'No.', code: 'out_of_tokens' }, false, 'out_of_tokens'],
  [{ message: 'No.' }, false, undefined],
  [{ message: 'Later.', code: 503 }, true, undefined],
  ['No.', false, undefined],
]

/** What an endpoint may put where its code belongs, and nobody may read. */
export const NO_CODES = [
  'sk-test-3f9a2c',
  'sk_live_abcdef',
  '9f86d081884c7d659a2feaa0c55ad015',
  'a3bf4f1b2b0b822cd15d6c15b0f00a08',
  'thelaunchcodeisseventhreeonenine',
  'AKIAIOSFODNN7EXAMPLE',
  'the launch code is 7319',
]

/** Clients that can make no request, now or later. */
export const MISTAKES = [{ apiKey: 'sk-ключ' }, { baseURL: 'not a url' }, { baseURL: 'htp:/bad' }]
