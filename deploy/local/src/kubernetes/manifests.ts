import { readdir } from 'node:fs/promises'
import { fileURLToPath } from 'node:url'
import { parseAllDocuments } from 'yaml'
import { findKustomize, render } from './kustomize.ts'

/** An object of Kubernetes as it is rendered: what a test reads of it is checked by the schema. */
export interface Manifest {
  apiVersion: string
  kind: string
  metadata: { name: string; namespace?: string; labels?: Record<string, string> }
  // biome-ignore lint/suspicious/noExplicitAny: the shape depends on the kind, and is checked against the schema of that kind
  spec?: any
  data?: Record<string, string>
}

export const root = fileURLToPath(new URL('../../../../', import.meta.url))

export const overlays = (): Promise<string[]> => readdir(`${root}k8s/overlays`)

export async function renderOverlay(overlay: string): Promise<Manifest[]> {
  const text = await render(await findKustomize(), `${root}k8s/overlays/${overlay}`)
  return parseAllDocuments(text).map(document => document.toJS() as Manifest)
}

/** What is of one kind. */
export const ofKind = (manifests: readonly Manifest[], kind: string): Manifest[] => manifests.filter(one => one.kind === kind)

/** What operators make pods of. */
export const operated = (manifests: readonly Manifest[]): Manifest[] => [
  ...ofKind(manifests, 'RabbitmqCluster'),
  ...ofKind(manifests, 'MongoDBCommunity'),
]
