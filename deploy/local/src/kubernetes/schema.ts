import { execFile } from 'node:child_process'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import path from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { type Manifest, root } from './manifests.ts'

/** Groups whose kinds are not of Kubernetes itself. */
const others: Record<string, string> = {
  'gateway.networking.k8s.io': '@kubernetes-models/gateway-api',
  'keda.sh': '@kubernetes-models/keda',
  'monitoring.coreos.com': '@kubernetes-models/prometheus-operator',
}

/** Groups of operators, whose types are ours. */
const ours = new Set(['rabbitmq.com', 'mongodbcommunity.mongodb.com'])

const options = '--noEmit --strict --skipLibCheck --module nodenext --target es2023 --types node --ignoreConfig'.split(' ')

/**
 * What is wrong with objects, one line each, against the types of their kinds: a field that the kind does not have, one that is missing, a value of another
 * type. (The API server ignores unknown fields: a misspelt probe would never run.)
 */
export async function schemaFaults(manifests: readonly Manifest[]): Promise<string[]> {
  const different = [...new Map(manifests.map(one => [JSON.stringify(one), one]))]
  const folder = await mkdtemp(path.join(fileURLToPath(new URL('.', import.meta.url)), 'schema-'))
  try {
    const lines = different.map(([text, one], at) => `export const object${at}: ${typeOf(one)} = ${text}`)
    await writeFile(path.join(folder, 'objects.ts'), lines.join('\n'))
    const compiler = `${root}node_modules/typescript/bin/tsc`
    const found = await promisify(execFile)(process.execPath, [compiler, ...options, path.join(folder, 'objects.ts')], { cwd: folder }).then(
      () => '',
      (error: { stdout?: string }) => error.stdout || Promise.reject(error),
    )
    const faults = [...found.matchAll(/objects\.ts\((\d+),\d+\): (.*)/g)].map(([, line, message]) => {
      const { kind, metadata } = different[Number(line) - 1]![1]
      return `${kind} ${metadata.name}: ${message}`
    })
    if (found !== '' && faults.length === 0) throw new Error(`the schema was not checked: ${found}`)
    return faults
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
}

function typeOf({ apiVersion, kind }: Manifest): string {
  const group = apiVersion.includes('/') ? apiVersion.split('/')[0]! : ''
  if (ours.has(group)) return `import('../operators.js').I${kind}`
  return `import('${others[group] ?? 'kubernetes-models'}/${apiVersion}').I${kind}`
}
