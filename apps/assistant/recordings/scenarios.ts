import { Recorder } from './recorder.ts'

const FILES = {
  'README.md': '# Apples\n\nA shop for apples. Opens on Monday.\n',
  'src/price.js': 'export const price = 3\n',
}

/** The recordings by name; each answers its text. They run on the rule-based model, so they are the same each time. */
export const SCENARIOS: Readonly<Record<string, (app: string) => Promise<string>>> = {
  async chat(app) {
    const recorder = new Recorder(app, FILES)
    recorder.start('--session', 'apples')
    await recorder.type('what is 17*23 and list files recursively')
    await recorder.type('read README.md')
    await recorder.type('add todo paint the door and what is on my list')
    await recorder.type('/memory')
    await recorder.type('/replace tool_step_0_0_2 [a long text, not needed any more]')
    await recorder.type('/fork pears')
    await recorder.type('remember that pears cost 4')
    await recorder.type('/undo')
    await recorder.type('/sesions')
    await recorder.type('/sessions')
    await recorder.type('/events 6')
    await recorder.type('/quit')
    await recorder.ends()
    return recorder.end()
  },

  async kill(app) {
    const recorder = new Recorder(app, FILES)
    recorder.start('--session', 'apples')
    await recorder.type(
      'what is 6*7 and run `echo begun > door.txt; sleep 20; echo painted > door.txt`',
    )
    await recorder.type('y')
    await recorder.makes('door.txt', 'begun\n')
    await recorder.kill()
    recorder.start('--session', 'apples')
    await recorder.type('l')
    await recorder.type('what is 2*2')
    await recorder.type('n it is painted by hand now')
    await recorder.type('/memory')
    await recorder.type('/quit')
    await recorder.ends()
    return recorder.end()
  },

  async approve(app) {
    const recorder = new Recorder(app, FILES)
    recorder.start('--session', 'apples')
    await recorder.type('write "closed on Sunday" to notes/hours.md')
    await recorder.type('y')
    await recorder.type('run `rm -r src`')
    await recorder.type('n we still need it')
    await recorder.type('run `wc -c notes/hours.md`')
    await recorder.shows(/Run it\?.*> $/)
    await recorder.kill()
    recorder.start('--session', 'apples')
    await recorder.type('y')
    await recorder.type('ask me what the price is')
    await recorder.type('3 a piece')
    await recorder.type('/quit')
    await recorder.ends()
    return recorder.end()
  },

  async compact(app) {
    const recorder = new Recorder(app, FILES, { HOLDFAST_CONTEXT_TOKENS: '1000' })
    recorder.start('--session', 'apples')
    await recorder.type('remember that the launch code is 7319')
    for (const n of [1, 2, 3, 4, 5, 6]) await recorder.type(`what is ${n}*3 and read src/price.js`)
    await recorder.type('/memory')
    await recorder.type('/compact')
    await recorder.type('what do you remember')
    await recorder.type('/quit')
    await recorder.ends()
    recorder.start('--session', 'apples')
    await recorder.type('/memory')
    await recorder.type('/quit')
    await recorder.ends()
    return recorder.end()
  },

  async script(app) {
    const recorder = new Recorder(app, FILES)
    await recorder.once('--session', 'apples', '--json', '--once', 'what is 17*23')
    await recorder.once('--session', 'apples', '--json', '--once', 'run `ls`')
    await recorder.once('--session', 'apples', '--json', '--once', '/approve')
    await recorder.once('--session', 'apples', '--approve', '--once', 'write "x" to x.txt')
    await recorder.once('--session', 'apples', '--json', '--once', '/resume nobody')
    return recorder.end()
  },
}
