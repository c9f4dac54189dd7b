/**
 * `npm run docs:api`: the API reference, in `docs/api`. `npm run check:api` makes none and ends with 1 where a
 * public export, or a member of one, has no comment, or a type that the API shows is not exported.
 */
import { join } from 'node:path'
import { Application, ReflectionKind } from 'typedoc'
import { root } from './processes.mjs'

/** Packages, and what of each is shown by its parts alone: nobody needs the name. */
const PACKAGES = {
  '@holdfast/core': ['Said', 'Result'],
  '@holdfast/sql': [],
  '@holdfast/redis': [],
  '@holdfast/mongodb': [],
  '@holdfast/s3': [],
  '@holdfast/openai': [],
  '@holdfast/ai-sdk': [],
  '@holdfast/conformance': ['Applies', 'Wrap'],
}

const REQUIRED =
  ReflectionKind.Function |
  ReflectionKind.Class |
  ReflectionKind.Interface |
  ReflectionKind.TypeAlias |
  ReflectionKind.Variable |
  ReflectionKind.Property |
  ReflectionKind.Accessor |
  ReflectionKind.Method

/** Parts of a type that is written in place belong to the comment of what has that type, but an exported object's own. */
function isPartOfAType({ parent }) {
  for (let outer = parent; outer; outer = outer.parent) {
    if (!outer.kindOf(ReflectionKind.TypeLiteral)) continue
    if (!outer.parent?.kindOf(ReflectionKind.Variable)) return true
  }
  return false
}

function isDocumented(reflection) {
  const signatures = [
    ...(reflection.signatures ?? reflection.type?.declaration?.signatures ?? []),
    ...(reflection.getSignature ? [reflection.getSignature] : []),
  ]
  return (
    reflection.hasComment() || (signatures.length > 0 && signatures.every((s) => s.hasComment()))
  )
}

/** `packages/core/src` or `packages/core/src/encryption`, as people import it. */
const importPathOf = (name) => name.replace(/^.*\/(.+)\/src/, '@holdfast/$1')

const app = await Application.bootstrapWithPlugins({ options: join(root, 'docs/typedoc.json') })
const project = await app.convert()
if (!project) process.exit(1)
for (const module of project.children ?? []) module.name = importPathOf(module.name)
app.validate(project)
// typedoc looks for types that are not exported in one package alone.
app.options.setValue('validation', { notExported: true, notDocumented: false, invalidLink: false })
for (const [name, unnamed] of Object.entries(PACKAGES)) {
  app.options.setValue('intentionallyNotExported', unnamed)
  project.packageName = name
  app.validate(project)
}
project.packageName = undefined
const missing = project
  .getReflectionsByKind(REQUIRED)
  .filter((one) => !one.flags.isExternal && !isPartOfAType(one) && !isDocumented(one))
for (const one of missing) app.logger.warn(`${one.getFullName()} has no comment.`)
if (app.logger.hasWarnings() || app.logger.hasErrors()) process.exitCode = 1
if (!process.argv.includes('--check')) await app.generateOutputs(project)
