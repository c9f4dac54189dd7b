/** Where things are of a Ceph cluster in a folder. */
export interface CephPlaces {
  readonly folder: string
  readonly fsid: string
  readonly monitorPort: number
  readonly gatewayPort: number
}

/** The configuration of a Ceph cluster of one monitor, one store and one gateway, on 127.0.0.1 alone. */
export function cephConf({ folder, fsid, monitorPort, gatewayPort }: CephPlaces): string {
  return `[global]
fsid = ${fsid}
mon host = [v2:127.0.0.1:${monitorPort}]
mon initial members = a
auth cluster required = cephx
auth service required = cephx
auth client required = cephx
keyring = ${folder}/keyring
auth allow insecure global id reclaim = false
ms bind ipv6 = false
public addr = 127.0.0.1
cluster addr = 127.0.0.1
# One copy in one place, and few groups of objects: quick, and nothing else is asked of it.
osd pool default size = 1
osd pool default min size = 1
osd pool default pg num = 1
osd pool default pgp num = 1
osd pool default pg autoscale mode = off
osd crush chooseleaf type = 0
mon allow pool size one = true
mon max pg per osd = 1000
run dir = ${folder}/run
admin socket = ${folder}/run/$name.asok
pid file = ${folder}/run/$name.pid
log file = ${folder}/logs/$name.log
crash dir = ${folder}/run
# Decisions of one monitor need no waiting for others.
paxos propose interval = 0.05
paxos min wait = 0.01
mon osd adjust heartbeat grace = false
mon data avail crit = 0
mon data avail warn = 0
[mon]
mon data = ${folder}/mon
[osd]
osd data = ${folder}/osd
osd objectstore = bluestore
# Takes only as much of the disk as is written.
bluestore block size = 1073741824
bluestore fsck on mkfs = false
bluestore fsck on mount = false
osd fast shutdown = true
bluestore block wal create = false
bluestore block db create = false
[client.rgw]
rgw data = ${folder}/rgw
# Without tcp_nodelay each read waits 40 ms for the other side.
rgw frontends = beast endpoint=127.0.0.1:${gatewayPort} tcp_nodelay=1
rgw enable usage log = false
rgw dynamic resharding = false
`
}
