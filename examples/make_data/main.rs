mod studio;
use studio::*;
fn dump(body:&body::Body, clip:&sinew::motion::Clip){
    use std::fmt::Write;
    let mut s=String::new();
    let sk=&body.skeleton;
    let mut edges:Vec<(usize,Option<usize>)>=vec![];
    for (j,jt) in sk.joints().iter().enumerate(){ edges.push((j,jt.parent)); }
    write!(s,"{{\"names\":{:?},\"parents\":{:?},\"frames\":[", sk.joints().iter().map(|j|j.name.clone()).collect::<Vec<_>>(), sk.joints().iter().map(|j|j.parent.map_or(-1,|p|p as i64)).collect::<Vec<_>>()).unwrap();
    for f in 0..clip.frames(){
        let w=clip.pose(sk,f).world(sk);
        if f>0 {s.push(',');}
        s.push('[');
        for (j,fr) in w.iter().enumerate(){ if j>0{s.push(',');} 
          let t=fr.position+fr.rotation*sk.joint(j).tip.unwrap_or_default();
          let q=fr.rotation.coords;
          write!(s,"[{:.5},{:.5},{:.5},{:.5},{:.5},{:.5},{:.6},{:.6},{:.6},{:.6}]",fr.position.x,fr.position.y,fr.position.z,t.x,t.y,t.z,q.x,q.y,q.z,q.w).unwrap();}
        s.push(']');
    }
    s.push_str("]}");
    std::fs::write(format!("/tmp/dump_{}.json",clip.name),s).unwrap();
}
fn main(){
    let actor=cast::actor().unwrap();
    let st=walk::Style::actor();
    let mut st=st;
    if std::env::args().nth(1).as_deref()==Some("fit") { fit(&actor,&mut st); }
    let g=walk::walk(&actor,&st);
    let c=clip::of_postures("walk",&actor,129,|t| g.posture(t*60.0/64.0)).unwrap();
    dump(&actor,&c);
    if std::env::args().nth(1).as_deref()==Some("run") {
      let mut rs=run::Style::actor(); if std::env::args().nth(2).is_some() {fitrun(&actor,&mut rs);} let g=run::run(&actor,&rs);
      let c=clip::of_postures("run",&actor,89,|t| g.posture(t*60.0/42.0)).unwrap();
      dump(&actor,&c);
      for k in 0..=32 { let p=k as f64/32.0; let pose=g.posture(p).solve(&actor);
      let [th,sh,ft,_]=actor.legs[0];
      let sag=|q:sinew::Quat| { let v=q*sinew::Vec3::z(); (-v.y).atan2(v.z).to_degrees() };
      let f=g.foot(sinew::motion::Side::Left,p); let com=mass::centre_of_mass(&actor,&pose);
      println!("{:.3} hip {:6.1} knee {:6.1} ankle {:6.1} low {:.4} com {:.4} ({:.5}) {:.3} hips {:.3} {:.3}",p,-sag(pose.rotations[th]), sag(pose.rotations[sh]), -sag(pose.rotations[ft]),foot::lowest(&actor.foot,&f),com.y,com.y-rs.height(p),com.x,pose.translations[0].y,pose.translations[0].x); }
      return; }
    if std::env::args().nth(1).as_deref()==Some("stand") {
      dump(&actor,&clip::of_postures("idle",&actor,361,|t| standing::idle(&actor,6.0,t)).unwrap());
      dump(&actor,&clip::of_postures("wave",&actor,241,|t| standing::wave(&actor,t)).unwrap());
      dump(&actor,&clip::of_postures("crouch",&actor,241,|t| standing::crouch(&actor,t)).unwrap());
      dump(&actor,&clip::of_postures("turn",&actor,241,|t| turn::turn(&actor,t)).unwrap());
      let j=jump::Jump::new(&actor);
      dump(&actor,&clip::of_postures("jump",&actor,211,|t| j.posture(t)).unwrap());
      for k in 78..115 {let t=k as f64/60.0; let c=mass::centre_of_mass(&actor,&j.posture(t).solve(&actor)); println!("{k} {:.5} {:.6}",c.y,c.y-j.centre(t).y);}
      let f=fall::Fall::new(&actor);
      dump(&actor,&clip::of_postures("fall",&actor,181,|t| f.posture(t)).unwrap());
      return; }
    angles(&actor,&g);
}
fn angles(body:&body::Body,g:&gait::Gait){
    let (h,k2,a2)=(curve::Fourier::fit(&walk::HIP,6),curve::Fourier::fit(&walk::KNEE,7),curve::Fourier::fit(&walk::ANKLE,8));
    for k in 0..=32 { let p=k as f64/32.0;
      let pose=g.posture(p).solve(body);
      let [th,sh,ft,_]=body.legs[0];
      let sag=|q:sinew::Quat| { let v=q*sinew::Vec3::z(); (-v.y).atan2(v.z).to_degrees() };
      let f=g.foot(sinew::motion::Side::Left,p);
      println!("{:.3} hip {:6.1} ({:5.1}) knee {:6.1} ({:5.1}) ankle {:6.1} ({:5.1})  low {:.4}",p,-sag(pose.rotations[th])+4.0,h.at(p), sag(pose.rotations[sh]),k2.at(p), -sag(pose.rotations[ft]),a2.at(p),foot::lowest(&body.foot,&f)); }
}

fn cost(body:&body::Body,g:&gait::Gait)->f64{
    let (h,k2,a2)=(curve::Fourier::fit(&walk::HIP,6),curve::Fourier::fit(&walk::KNEE,7),curve::Fourier::fit(&walk::ANKLE,8));
    let mut c=0.0; let (mut prev,mut prev2)=(0.0,0.0);
    for k in 0..50 { let p=k as f64/50.0;
      let pose=g.posture(p).solve(body);
      let [th,sh,ft,_]=body.legs[0];
      let sag=|q:sinew::Quat| { let v=q*sinew::Vec3::z(); (-v.y).atan2(v.z).to_degrees() };
      let knee=sag(pose.rotations[sh]);
      c+=(-sag(pose.rotations[th])+4.0-h.at(p)).powi(2)+(knee-k2.at(p)).powi(2)+(-sag(pose.rotations[ft])-a2.at(p)).powi(2);
      if knee<5.0 {c+=(5.0-knee).powi(2)*30.0;}
      let f=g.foot(sinew::motion::Side::Left,p); let low=foot::lowest(&body.foot,&f); if low< -0.0005 {c+=(low*1000.0).powi(2)*0.5;}
      let over=((f.ankle-pose.world(&body.skeleton)[th].position).norm()-body.leg.distance(0.07)).max(0.0); c+=(over*1000.0).powi(2)*10.0;
      if k>0 {let a=knee-2.0*prev+prev2; if k>1 {c+=a*a*0.3;} prev2=prev; prev=knee;} else {prev=knee;prev2=knee;}
    }
    c/150.0
}
fn fit(body:&body::Body, st:&mut walk::Style){
    let mut r=random::Random::seeded(1);
    let mut best=cost(body,&walk::walk(body,st)); let mut step=1.0;
    for it in 0..1500 {
        let old=(st.reach,st.sit,st.bob,st.high,st.surge,st.strike,st.list,st.heel,st.toes,st.flat);
        st.reach+=0.02*step*r.normal(); st.sit+=0.005*step*r.normal(); st.bob=(st.bob+0.003*step*r.normal()).clamp(0.015,0.025);
        st.high=(st.high+0.02*step*r.normal()).clamp(0.27,0.33); st.surge.0=(st.surge.0+0.004*step*r.normal()).clamp(0.0,0.012); st.surge.1+=0.03*step*r.normal();
        st.strike=(st.strike+1.0*step*r.normal()).clamp(14.0,25.0);
        st.list=(st.list+0.5*step*r.normal()).clamp(2.0,6.0);
        st.heel.0=(st.heel.0+0.01*step*r.normal()).clamp(0.22,0.33); st.heel.1=(st.heel.1+1.0*step*r.normal()).clamp(-74.0,-60.0);
        st.toes.0=(st.toes.0+0.01*step*r.normal()).clamp(0.44,0.54); st.toes.1=(st.toes.1+1.0*step*r.normal()).clamp(-35.0,-18.0);
        st.flat=(st.flat+0.005*step*r.normal()).clamp(0.08,0.14);
        let c=cost(body,&walk::walk(body,st));
        if c<best {best=c;} else {(st.reach,st.sit,st.bob,st.high,st.surge,st.strike,st.list,st.heel,st.toes,st.flat)=old; step=(step*0.997f64).max(0.1);}
        if it%300==0 {println!("{it} {best}");}
    }
    println!("cost {best} reach {} sit {} bob {} high {} surge {:?} strike {} list {} heel {:?} toes {:?} flat {}",st.reach,st.sit,st.bob,st.high,st.surge,st.strike,st.list,st.heel,st.toes,st.flat);
}

fn costrun(body:&body::Body,g:&gait::Gait)->f64{
    let (h,k2,a2)=(curve::Fourier::fit(&run::HIP,6),curve::Fourier::fit(&run::KNEE,7),curve::Fourier::fit(&run::ANKLE,8));
    let mut c=0.0; let (mut prev,mut prev2)=(0.0,0.0);
    for k in 0..42 { let p=k as f64/42.0;
      let pose=g.posture(p).solve(body);
      let [th,sh,ft,_]=body.legs[0];
      let sag=|q:sinew::Quat| { let v=q*sinew::Vec3::z(); (-v.y).atan2(v.z).to_degrees() };
      let knee=sag(pose.rotations[sh]);
      c+=(-sag(pose.rotations[th])-h.at(p)+3.0).powi(2)+(knee-k2.at(p)).powi(2)+(-sag(pose.rotations[ft])-a2.at(p)).powi(2);
      if knee<9.0 {c+=(9.0-knee).powi(2)*30.0;}
      let f=g.foot(sinew::motion::Side::Left,p); let low=foot::lowest(&body.foot,&f); if low< -0.0005 {c+=(low*1000.0).powi(2)*0.5;}
      let over=((f.ankle-pose.world(&body.skeleton)[th].position).norm()-body.leg.distance(0.12)).max(0.0); c+=(over*1000.0).powi(2)*10.0;
      if k>0 {let a=knee-2.0*prev+prev2; if k>1 {c+=a*a*0.3;} prev2=prev; prev=knee;} else {prev=knee;prev2=knee;}
    }
    c/126.0
}
fn fitrun(body:&body::Body, st:&mut run::Style){
    let mut r=random::Random::seeded(1);
    let mut best=costrun(body,&run::run(body,st)); let mut step=1.0;
    for it in 0..400 {
        let old=(st.reach,st.height,st.strike,st.heel,st.toes,st.flat,st.braking,st.stride);
        st.reach+=0.02*step*r.normal(); st.height+=0.008*step*r.normal(); 
        st.strike=(st.strike+1.0*step*r.normal()).clamp(8.0,16.0);
        st.heel.0=(st.heel.0+0.01*step*r.normal()).clamp(0.10,0.20); st.heel.1=(st.heel.1+1.5*step*r.normal()).clamp(-74.0,-50.0);
        st.toes.0=(st.toes.0+0.01*step*r.normal()).clamp(0.22,0.31); st.toes.1=(st.toes.1+1.0*step*r.normal()).clamp(-35.0,-18.0);
        st.flat=(st.flat+0.005*step*r.normal()).clamp(0.06,0.10);
        st.braking=(st.braking+0.03*step*r.normal()).clamp(0.05,0.3);
        let c=costrun(body,&run::run(body,st));
        if c<best {best=c;} else {(st.reach,st.height,st.strike,st.heel,st.toes,st.flat,st.braking,st.stride)=old; step=(step*0.993f64).max(0.1);}
        if it%100==0 {println!("{it} {best}");}
    }
    println!("cost {best} reach {} height {} strike {}  heel {:?} toes {:?} flat {} braking {}",st.reach,st.height,st.strike,st.heel,st.toes,st.flat,st.braking);
}
