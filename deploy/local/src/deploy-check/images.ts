import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { root } from '../kubernetes/manifests.ts'
import { podman } from './podman.ts'

/** Targets of the Dockerfile, beyond that of processes. */
const targets: ReadonlySet<string> = new Set(['embedded-mongo', 'devnet'])

/** How an image of ours is built; undefined for one of others. @example buildOf('carapace/escrow:dev') */
export function buildOf(image: string): string[] | undefined {
  const [, name] = /^carapace\/([a-z-]+):[\w.-]+$/.exec(image) ?? []
  if (name === undefined) return undefined
  if (targets.has(name)) return ['--target', name]
  const folder = name === 'gateway' ? name : name === 'contracts' ? 'deploy/contracts' : `services/${name}`
  return ['--build-arg', `SERVICE=${folder}`]
}

/** What a stand-in made of Debian's package has under another user than the official image: the user that the manifest names. */
const owned: Readonly<Record<string, string>> = { rabbitmq: '/etc/rabbitmq /var/lib/rabbitmq /var/log/rabbitmq' }

interface Options {
  /** Those of ours that are there are used as they are. */
  reuse: boolean
  /** The user that runs an image. */
  userOf(image: string): string
  say: (line: string) => void
}

/**
 * Builds those that are ours; the steps that they share are made once.
 * @returns what to run for each
 * @throws Error that names an image of others that is not there and cannot be pulled
 */
export async function provideImages(images: readonly string[], { reuse, userOf, say }: Options): Promise<ReadonlyMap<string, string>> {
  const provided = new Map<string, string>()
  for (const image of images) {
    const build = buildOf(image)
    if (build && !(reuse && (await isLocal(image)))) await podman('build', ...how, ...build, '-t', image, '-f', `${root}deploy/Dockerfile`, root)
    else if (!build && !(await isLocal(image))) await podman('pull', '-q', image)
    const folders = owned[image.split(':')[0]!]
    provided.set(image, folders ? await ownedBy(userOf(image), folders, image) : image)
    say(`  image  ${image}`)
  }
  return provided
}

const how = ['--layers', '--isolation', 'chroot', '--format', 'docker']

async function ownedBy(user: string, folders: string, image: string): Promise<string> {
  const folder = await mkdtemp(path.join(tmpdir(), 'carapace-image-'))
  const tag = `localhost/carapace-check/${image}`
  try {
    await writeFile(path.join(folder, 'Dockerfile'), `FROM ${image}\nUSER 0\nRUN chown -R ${user} ${folders}\n`)
    await podman('build', ...how, '-t', tag, folder)
    return tag
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
}

const isLocal = (image: string): Promise<boolean> =>
  podman('image', 'exists', image).then(
    () => true,
    () => false,
  )
