package trial;

import static trial.Report.check;
import static trial.Report.eventually;

import com.google.gson.JsonObject;
import com.google.gson.JsonPrimitive;
import io.kubernetes.client.Discovery;
import io.kubernetes.client.custom.V1Patch;
import io.kubernetes.client.extended.controller.Controller;
import io.kubernetes.client.extended.controller.builder.ControllerBuilder;
import io.kubernetes.client.extended.controller.reconciler.Result;
import io.kubernetes.client.extended.kubectl.Kubectl;
import io.kubernetes.client.extended.leaderelection.LeaderElectionConfig;
import io.kubernetes.client.extended.leaderelection.LeaderElector;
import io.kubernetes.client.extended.leaderelection.resourcelock.LeaseLock;
import io.kubernetes.client.informer.SharedIndexInformer;
import io.kubernetes.client.informer.SharedInformerFactory;
import io.kubernetes.client.openapi.ApiClient;
import io.kubernetes.client.openapi.ApiException;
import io.kubernetes.client.openapi.Configuration;
import io.kubernetes.client.openapi.apis.CoreV1Api;
import io.kubernetes.client.openapi.apis.VersionApi;
import io.kubernetes.client.openapi.models.V1ConfigMap;
import io.kubernetes.client.openapi.models.V1ConfigMapList;
import io.kubernetes.client.openapi.models.V1Namespace;
import io.kubernetes.client.openapi.models.V1ObjectMeta;
import io.kubernetes.client.util.Config;
import io.kubernetes.client.util.PatchUtils;
import io.kubernetes.client.util.generic.GenericKubernetesApi;
import io.kubernetes.client.util.generic.dynamic.DynamicKubernetesApi;
import io.kubernetes.client.util.generic.dynamic.DynamicKubernetesObject;
import io.kubernetes.client.util.generic.options.ListOptions;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;

/** The official Java client: kubeconfig, patches, apply, dynamic objects, informers with a controller, leader election. */
public final class ClientJavaTrial {
  private static final String NAMESPACE = "client-java-trial";
  private final ApiClient client;
  private final CoreV1Api core;
  private final GenericKubernetesApi<V1ConfigMap, V1ConfigMapList> maps;

  private ClientJavaTrial(ApiClient client) {
    this.client = client;
    core = new CoreV1Api(client);
    maps = new GenericKubernetesApi<>(V1ConfigMap.class, V1ConfigMapList.class, "", "v1", "configmaps", client);
  }

  public static void main(String[] args) throws Exception {
    ApiClient client = Config.defaultClient();
    client.setReadTimeout(0);
    Configuration.setDefaultApiClient(client);
    ClientJavaTrial trial = new ClientJavaTrial(client);
    trial.objects();
    trial.elections();
    trial.informers();
    Report.finish();
  }

  private void objects() throws Exception {
    check("kubeconfig and version", () -> new VersionApi(client).getCode().execute().getMajor().equals("1"));
    check("namespace", () -> core.createNamespace(new V1Namespace().metadata(new V1ObjectMeta().name(NAMESPACE))).execute() != null);
    check("create", () -> core.createNamespacedConfigMap(NAMESPACE, map("one")).execute().getData().get("v").equals("1"));
    check("create of what is there", () -> maps.create(map("one")).getHttpStatusCode() == 409);
    check("merge patch", () -> patch(V1Patch.PATCH_FORMAT_JSON_MERGE_PATCH, "{\"data\":{\"b\":\"2\"}}").getData().get("b").equals("2"));
    check("strategic merge patch", () -> !patch(V1Patch.PATCH_FORMAT_STRATEGIC_MERGE_PATCH, "{\"data\":{\"b\":null}}").getData().containsKey("b"));
    check("JSON patch", () -> patch(V1Patch.PATCH_FORMAT_JSON_PATCH, "[{\"op\":\"add\",\"path\":\"/data/c\",\"value\":\"3\"}]").getData().get("c").equals("3"));
    check("server-side apply", () -> Kubectl.apply(V1ConfigMap.class).namespace(NAMESPACE).resource(applied()).forceConflict(true).fieldManager("trial").execute().getData().get("v").equals("9"));
    check("update", () -> maps.update(maps.get(NAMESPACE, "one").getObject().putDataItem("u", "1")).isSuccess());
    check("missing object", () -> code(() -> core.readNamespacedConfigMap("none", NAMESPACE).execute()) == 404);
    check("discovery", () -> new Discovery(client).findAll().stream().anyMatch(r -> r.getKind().equals("Deployment") && r.getVersions().contains("v1")));
    check("dynamic objects", this::dynamic);
    check("list with limit", this::paging);
    check("delete", () -> maps.delete(NAMESPACE, "one").isSuccess() && maps.get(NAMESPACE, "one").getHttpStatusCode() == 404);
    check("kubectl label and annotate", this::kubectl);
  }

  private V1ConfigMap patch(String format, String body) throws ApiException {
    return PatchUtils.patch(V1ConfigMap.class, () -> core.patchNamespacedConfigMap("one", NAMESPACE, new V1Patch(body)).buildCall(null), format, client);
  }

  private V1ConfigMap applied() {
    return new V1ConfigMap().apiVersion("v1").kind("ConfigMap").metadata(new V1ObjectMeta().name("applied").namespace(NAMESPACE)).data(Map.of("v", "9"));
  }

  private boolean dynamic() {
    DynamicKubernetesApi roles = new DynamicKubernetesApi("rbac.authorization.k8s.io", "v1", "roles", client);
    DynamicKubernetesObject role = new DynamicKubernetesObject();
    role.setApiVersion("rbac.authorization.k8s.io/v1");
    role.setKind("Role");
    role.setMetadata(new V1ObjectMeta().name("dynamic").namespace(NAMESPACE));
    JsonObject raw = role.getRaw();
    raw.add("rules", new com.google.gson.JsonArray());
    boolean created = roles.create(role).isSuccess();
    return created && roles.list(NAMESPACE).getObject().getItems().size() == 1 && raw.get("kind").equals(new JsonPrimitive("Role"));
  }

  private boolean paging() {
    for (int index = 0; index < 5; index++) maps.create(map("page-" + index));
    ListOptions options = new ListOptions();
    options.setLimit(2);
    return maps.list(NAMESPACE, options).getObject().getMetadata().getContinue() != null;
  }

  private boolean kubectl() throws Exception {
    V1ConfigMap labelled = Kubectl.label(V1ConfigMap.class).namespace(NAMESPACE).name("page-0").addLabel("k", "v").execute();
    return labelled.getMetadata().getLabels().get("k").equals("v") && !Kubectl.get(V1ConfigMap.class).namespace(NAMESPACE).execute().isEmpty();
  }

  private void informers() throws Exception {
    SharedInformerFactory factory = new SharedInformerFactory(client);
    SharedIndexInformer<V1ConfigMap> informer = factory.sharedIndexInformerFor(maps, V1ConfigMap.class, 0, NAMESPACE);
    Set<String> reconciled = ConcurrentHashMap.newKeySet();
    Controller controller = ControllerBuilder.defaultBuilder(factory)
        .watch(queue -> ControllerBuilder.controllerWatchBuilder(V1ConfigMap.class, queue).build())
        .withReconciler(request -> { reconciled.add(request.getName()); return new Result(false); })
        .withName("trial").withReadyFunc(informer::hasSynced).build();
    factory.startAllRegisteredInformers();
    Thread runner = new Thread(controller, "controller");
    runner.setDaemon(true);
    runner.start();
    check("informer syncs", () -> eventually(informer::hasSynced));
    for (int index = 0; index < 30; index++) maps.create(map("watched-" + index));
    check("controller sees creates", () -> eventually(() -> count(reconciled) == 30));
    Report.restartServer();
    check("writes after the restart", () -> eventually(() -> write(30, 60)));
    for (int index = 0; index < 10; index++) maps.delete(NAMESPACE, "watched-" + index);
    check("informer converges after the restart", () -> eventually(() -> held(informer) == 50 && count(reconciled) == 60));
    controller.shutdown();
    factory.stopAllRegisteredInformers();
  }

  private static long held(SharedIndexInformer<V1ConfigMap> informer) {
    return informer.getIndexer().list().stream().filter(item -> item.getMetadata().getName().startsWith("watched-")).count();
  }

  private static long count(Set<String> names) {
    return names.stream().filter(name -> name.startsWith("watched-")).count();
  }

  private boolean write(int from, int to) {
    for (int index = from; index < to; index++) {
      int status = maps.create(map("watched-" + index)).getHttpStatusCode();
      if (status != 201 && status != 409) return false;
    }
    return true;
  }

  private void elections() throws Exception {
    List<String> leaders = new CopyOnWriteArrayList<>();
    LeaderElector first = candidate("first", leaders);
    check("first candidate leads", () -> eventually(() -> leaders.equals(List.of("first"))));
    LeaderElector second = candidate("second", leaders);
    Report.restartServer();
    TimeUnit.SECONDS.sleep(5);
    check("the leader stays over a restart", () -> leaders.equals(List.of("first")));
    first.close();
    check("the other takes over", () -> eventually(() -> leaders.equals(List.of("first", "second"))));
    second.close();
  }

  private LeaderElector candidate(String name, List<String> leaders) {
    var config = new LeaderElectionConfig(new LeaseLock(NAMESPACE, "election", name, client), Duration.ofSeconds(12), Duration.ofSeconds(9), Duration.ofSeconds(1));
    LeaderElector elector = new LeaderElector(config);
    Executors.newSingleThreadExecutor(runnable -> { Thread t = new Thread(runnable); t.setDaemon(true); return t; })
        .submit(() -> elector.run(() -> leaders.add(name), () -> {}));
    return elector;
  }

  private V1ConfigMap map(String name) {
    return new V1ConfigMap().metadata(new V1ObjectMeta().name(name).namespace(NAMESPACE)).putDataItem("v", "1");
  }

  private interface Action {
    void run() throws ApiException;
  }

  private static int code(Action action) {
    try {
      action.run();
      return 200;
    } catch (ApiException error) {
      return error.getCode();
    }
  }
}
