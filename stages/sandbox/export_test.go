package sandbox

// WithoutNamespaces has a launcher climb as on a kernel that refuses user namespaces.
func (o Options) WithoutNamespaces() Options {
	o.noNamespaces = true
	return o
}

// WithLandlock has a launcher climb as on a kernel with that Landlock ABI at most.
func (o Options) WithLandlock(abi int) Options {
	o.landlock = abi
	return o
}
