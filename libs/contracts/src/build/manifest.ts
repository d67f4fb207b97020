import { createHash } from 'node:crypto'
import { readFileSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import type { Artifact } from '../artifact.ts'
import type { Compilation } from './compile.ts'
import { artifactNames, artifactUrl, manifestUrl, settings } from './layout.ts'
import { readSource } from './source.ts'

/** What the committed artifacts were made from. All hashes are SHA-256. */
interface Manifest {
  generated: string
  solc: string
  settings: unknown
  sources: Record<string, string>
  artifacts: Record<string, string>
}

const solcVersion: string = createRequire(import.meta.url)('solc/package.json').version

/** Writes artifacts and manifest. */
export function write(compilation: Compilation): void {
  for (const [name, text] of Object.entries(artifactTexts(compilation))) writeFileSync(artifactUrl(name), text)
  writeFileSync(manifestUrl, manifestText(compilation))
}

/** Differences between the committed files and the sources as they are now, by their hashes; nothing is compiled. */
export function differences(): string[] {
  const manifest = JSON.parse(readFileSync(manifestUrl, 'utf8')) as Manifest
  return [
    ...differ('compiler version', manifest.solc, solcVersion),
    ...differ('compiler settings', JSON.stringify(manifest.settings), JSON.stringify(settings)),
    ...Object.entries(manifest.sources).flatMap(([name, hash]) =>
      differ(
        name,
        hash,
        hashOf(() => readSource(name)),
      ),
    ),
    ...artifactNames.flatMap(name =>
      differ(
        `artifacts/${name}.json`,
        manifest.artifacts[name],
        hashOf(() => readFileSync(artifactUrl(name), 'utf8')),
      ),
    ),
  ]
}

/** Differences between the committed files and what the compiler makes now. */
export function fullDifferences(compilation: Compilation): string[] {
  const texts = Object.entries(artifactTexts(compilation))
  return [
    ...texts.flatMap(([name, text]) => differ(`artifacts/${name}.json`, readFileSync(artifactUrl(name), 'utf8'), text)),
    ...differ('artifacts/manifest.json', readFileSync(manifestUrl, 'utf8'), manifestText(compilation)),
  ]
}

function artifactTexts({ artifacts }: Compilation): Record<string, string> {
  return Object.fromEntries(Object.entries(artifacts).map(([name, artifact]) => [name, artifactText(artifact)]))
}

/** One line per ABI entry, so that a change of the interface shows in a diff. */
function artifactText({ abi, ...rest }: Artifact): string {
  const entries = abi.map(entry => JSON.stringify(entry)).join(',\n')
  return `${JSON.stringify(rest, null, 1).slice(0, -2)},\n "abi": [\n${entries}\n]}\n`
}

function manifestText(compilation: Compilation): string {
  const manifest: Manifest = {
    generated: 'by npm run contracts:build; do not edit',
    solc: solcVersion,
    settings: compilation.settings,
    sources: hashes(compilation.sources),
    artifacts: hashes(artifactTexts(compilation)),
  }
  return `${JSON.stringify(manifest, null, 1)}\n`
}

function hashes(texts: Record<string, string>): Record<string, string> {
  return Object.fromEntries(Object.entries(texts).map(([name, text]) => [name, sha256(text)]))
}

function differ(what: string, committed: string | undefined, now: string): string[] {
  return committed === now ? [] : [what]
}

function hashOf(read: () => string): string {
  try {
    return sha256(read())
  } catch {
    return 'missing'
  }
}

function sha256(text: string): string {
  return createHash('sha256').update(text).digest('hex')
}
