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

/** Builds those that are ours; the steps that they share are made once. @throws Error that names an image of others that is not there and cannot be pulled */
export async function provideImages(images: readonly string[], say: (line: string) => void): Promise<void> {
  for (const image of images) {
    const build = buildOf(image)
    if (build) await podman('build', '--layers', '--isolation', 'chroot', '--format', 'docker', ...build, '-t', image, '-f', `${root}deploy/Dockerfile`, root)
    else if (!(await isLocal(image))) await podman('pull', '-q', image)
    say(`  ${build ? 'built' : 'there'}  ${image}`)
  }
}

const isLocal = (image: string): Promise<boolean> =>
  podman('image', 'exists', image).then(
    () => true,
    () => false,
  )
