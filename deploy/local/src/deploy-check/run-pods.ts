import { chmod, mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { isListening } from '../testing/listening.ts'
import { podman } from './podman.ts'
import type { Pod, PodContainer, Probe } from './pods.ts'

export interface RunningPods {
  /** Resolves when every pod is ready. @throws Error with the end of the log of one that is not, in time */
  ready(): Promise<void>
  /** Ends every container with SIGTERM. @returns those that did not end by themselves within their time */
  terminate(): Promise<string[]>
  /** Removes everything, and leaves nothing. */
  remove(): Promise<void>
}

export interface RunOptions {
  /** What is run for an image. */
  images: ReadonlyMap<string, string>
  /** Ports of this machine that lead to a pod. */
  published: Readonly<Record<string, string[]>>
  say: (line: string) => void
}

const readySeconds = 240
/** Of terminationGracePeriodSeconds, without the pause for what is still sent there. */
const graceSeconds = 15

/** Starts pods on a network of their own, where they find each other by the names of their Services. */
export async function runPods(pods: readonly Pod[], { images, published, say }: RunOptions): Promise<RunningPods> {
  const network = `carapace-check-${process.pid}`
  const folder = await mkdtemp(path.join(tmpdir(), 'carapace-pods-'))
  const podName = (pod: Pod) => `${network}-${pod.name}`
  const containerName = (pod: Pod, { name }: PodContainer) => `${podName(pod)}-${name}`
  const remove = async () => {
    for (const pod of pods) await podman('pod', 'rm', '-f', '-t', '0', podName(pod)).catch(() => '')
    await podman('network', 'rm', '-f', network).catch(() => '')
    await rm(folder, { recursive: true, force: true })
  }
  try {
    await podman('network', 'create', network)
    for (const pod of pods) {
      const own = path.join(folder, pod.name)
      await writeVolumes(pod, own)
      const ports = (published[pod.name] ?? []).flatMap(port => ['-p', port])
      const aliases = pod.aliases.map(alias => `alias=${alias}`).join()
      await podman('pod', 'create', '--name', podName(pod), '--network', `${network}:${aliases}`, ...ports)
      const start = (one: PodContainer, how: string[]) =>
        podman('run', ...how, ...optionsOf(one, own, podName(pod)), images.get(one.image)!, ...one.args)
      for (const one of pod.first) await start(one, ['--rm'])
      for (const one of pod.containers) await start(one, ['-d', '--restart', 'always', '--name', containerName(pod, one)])
      say(`  started  ${pod.name}`)
    }
  } catch (error) {
    await remove()
    throw error
  }
  const containers = pods.flatMap(pod => pod.containers.map(one => ({ pod, one, name: containerName(pod, one) })))
  return {
    ready: async () => {
      const end = Date.now() + readySeconds * 1_000
      for (const { pod, one, name } of containers) {
        const address = await addressOf(podName(pod), network)
        while (one.probe && !(await answers(address, one.probe))) {
          if (Date.now() > end) throw new Error(`${name} is not ready:\n${(await podman('logs', '--tail', '15', name)).slice(-3_000)}`)
          await sleep(500)
        }
        say(`  ready  ${pod.name}`)
      }
    },
    terminate: async () => {
      const late: string[] = []
      for (const { pod, name } of containers) {
        await podman('stop', '-t', String(graceSeconds), name)
        // 137: killed, since it had not ended
        if ((await podman('inspect', '--format', '{{.State.ExitCode}}', name)) === '137') late.push(pod.name)
      }
      return late
    },
    remove,
  }
}

/** Files that any user of a container reads; nobody but their owner enters the folder that all are in. */
async function writeVolumes({ volumes }: Pod, folder: string): Promise<void> {
  for (const [name, files] of Object.entries(volumes)) {
    const own = path.join(folder, name)
    await mkdir(own, { recursive: true })
    for (const [file, content] of Object.entries(files)) await writeFile(path.join(own, file), content, { mode: 0o444 })
    // what is empty is written to, by a user that this machine does not know
    await chmod(own, Object.keys(files).length === 0 ? 0o777 : 0o755)
  }
}

/** The rights that the manifest leaves a container, and no others. */
const optionsOf = ({ user, variables, mounts, isReadOnly, memory }: PodContainer, folder: string, podName: string): string[] => [
  ...['--pod', podName, '--user', user, '--memory', memory, '--cap-drop', 'all', '--security-opt', 'no-new-privileges'],
  ...(isReadOnly ? ['--read-only', '--read-only-tmpfs=false'] : []),
  ...Object.entries(variables).flatMap(([name, value]) => ['--env', `${name}=${value}`]),
  ...mounts.flatMap(({ volume, path: place, readOnly }) => ['-v', `${path.join(folder, volume)}:${place}${readOnly ? ':ro' : ''}`]),
]

async function addressOf(pod: string, network: string): Promise<string> {
  const infra = await podman('pod', 'inspect', pod, '--format', '{{.InfraContainerID}}')
  const [container] = JSON.parse(await podman('inspect', infra)) as { NetworkSettings: { Networks: Record<string, { IPAddress: string }> } }[]
  return container!.NetworkSettings.Networks[network]!.IPAddress
}

const answers = (address: string, { port, path: place }: Probe): Promise<boolean> =>
  place === undefined
    ? isListening(address, port)
    : fetch(`http://${address}:${port}${place}`, { signal: AbortSignal.timeout(3_000) }).then(
        ({ ok }) => ok,
        () => false,
      )
